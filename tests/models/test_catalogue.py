"""The list of models, and which of them plays a role."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from parrot import HUB, entry_with

from vidbench.contract.models import ROLES
from vidbench.errors import InvalidInput, MissingExtra, MissingModel, NotFound
from vidbench.models import catalogue, checksum_of, choose, entries, entry_of, is_present, resolve
from vidbench.models.catalogue import TIERS, first_of, read, tiers
from vidbench.models.folder import folder_of, write_manifest

FAKES = """
[[model]]
name = "pretend"
role = "speech"
tier = "fake"
engine = "fake"
publisher = "us"
licence = "MIT"

[[model]]
name = "mine"
role = "speech"
tier = "good"
engine = "faster-whisper"
publisher = "me"
licence = "MIT"
options = { beam_size = 5 }
    [[model.file]]
    name = "model.bin"
    sha256 = ""
    bytes = 0
    [[model.source]]
    kind = "local"
    repository = "~/model.bin"
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    """The user's own catalogue."""
    path = tmp_path / "own.toml"
    path.write_text(FAKES)
    monkeypatch.setenv("VIDBENCH_CATALOGUE", str(path))
    return path


def lay(entry):
    """Make *entry* present without its bytes."""
    folder_of(entry).mkdir(parents=True)
    for file in entry.files:
        with (folder_of(entry) / file.name).open("wb") as stream:
            stream.truncate(file.bytes)
    write_manifest(entry, entry.files, source="local", origin="here")


def test_tiny_has_every_role_and_needs_no_hub():
    """The demo works with a package index alone."""
    tiny = entries("tiny")
    assert [entry.role for entry in tiny] == ["speech", "language", "embedding", "scene_text"]
    for entry in tiny:
        assert {"wheel", "package"} & {source.kind for source in entry.sources}
        assert all(re.fullmatch("[0-9a-f]{64}", file.sha256) and file.bytes for file in entry.files)


@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.name)
def test_every_entry_is_complete(entry):
    """Publisher, licence, memory and at least one pinned source are named; members belong to files."""
    assert entry.publisher
    assert entry.licence in {"MIT", "Apache-2.0"}
    assert entry.memory_mb > 0
    assert (entry.context > 0) == (entry.role == "language")
    names = {file.name for file in entry.files}
    for source in entry.sources:
        assert set(source.members) <= names
        if source.kind == "hub":
            assert re.fullmatch("[0-9a-f]{40}", source.revision)
        if source.kind == "wheel":
            assert set(source.members) == names
            assert all(re.fullmatch(r"[a-z0-9-]+==[0-9.]+", package) for package in source.packages)


def test_entry_of_names_what_there_is():
    """A wrong name is answered with the right ones."""
    assert entry_of("minilm").role == "embedding"
    with pytest.raises(NotFound, match=r"No model is called 'whisper'.*whisper-base"):
        entry_of("whisper")


def test_the_users_catalogue_comes_first(own):
    """Own entries are listed before the shipped ones and bring their tiers along."""
    assert [entry.name for entry in entries()][:3] == ["pretend", "mine", "whisper-base"]
    assert tiers() == (*TIERS, "fake")
    assert entry_of("mine").options == {"beam_size": 5}


def test_an_own_entry_replaces_the_shipped_one_of_its_name(own):
    """A user may say that whisper-base is another file."""
    own.write_text(FAKES.replace('"pretend"', '"whisper-base"'))
    assert entry_of("whisper-base").publisher == "us"
    assert [entry.name for entry in entries()].count("whisper-base") == 1


def test_an_edited_catalogue_is_read_again(own):
    """No restart is needed."""
    assert entry_of("pretend").publisher == "us"
    own.write_text(FAKES.replace('"us"', '"them"') + "\n# longer\n")
    assert entry_of("pretend").publisher == "them"


def test_a_catalogue_that_is_not_there_is_named(monkeypatch):
    """The variable at fault is in the hint."""
    monkeypatch.setenv("VIDBENCH_CATALOGUE", "/no/such.toml")
    with pytest.raises(InvalidInput, match=r"/no/such\.toml cannot be read.*VIDBENCH_CATALOGUE"):
        entries()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("model = 1", r"write each model as \[\[model\]\]"),
        ("[[model", "not valid TOML"),
        ("[[model]]\nname = 'x'", "Field required|Missing"),
        (FAKES.replace('"speech"', '"smell"'), r"model\[0\].*role"),
        (FAKES.replace("licence", "license"), r"model\[0\]\.license: no such field"),
        (FAKES.replace('"pretend"', '"../pretend"'), "'../pretend' is not a plain name"),
        (FAKES.replace('"model.bin"', '"a/model.bin"'), "'a/model.bin' is not a plain name"),
        (FAKES.replace('"model.bin"', '".."', 1), r"'\.\.' is not a plain name"),
        (FAKES.replace('"local"', '"torrent"'), r"model\[1\].*kind"),
    ],
)
def test_a_bad_catalogue_names_the_field(text, message):
    """What is wrong is said with the number of the model."""
    with pytest.raises(InvalidInput, match=message):
        read(text, file="own.toml")


def test_choose_takes_tiny_where_nothing_is_here():
    """With no files at all the first pull is the tiny tier's."""
    assert [choose(role).name for role in ROLES] == [
        "whisper-base",
        "qwen2.5-coder-0.5b",
        "rapidocr",
        "minilm",
    ]


def test_choose_takes_the_best_that_is_here():
    """A model that was pulled is used without being named."""
    lay(entry_of("whisper-base"))
    assert choose("speech").name == "whisper-base"
    lay(entry_of("whisper-small"))
    assert choose("speech").name == "whisper-small"
    lay(entry_of("whisper-large-v3-turbo"))
    assert choose("speech").name == "whisper-large-v3-turbo"
    assert choose("language").name == "qwen2.5-coder-0.5b"


def test_a_second_model_of_a_tier_is_used_when_it_alone_is_here():
    """qwen3-8b is by name, or because the user has pulled it and nothing as good."""
    lay(entry_of("qwen3-8b"))
    assert choose("language").name == "qwen3-8b"
    lay(entry_of("qwen3-4b"))
    assert choose("language").name == "qwen3-4b"


def test_a_tier_is_used_whether_its_files_are_here_or_not(monkeypatch):
    """Asked for by argument or variable, the argument winning."""
    lay(entry_of("whisper-large-v3-turbo"))
    assert choose("speech", tier="tiny").name == "whisper-base"
    monkeypatch.setenv("VIDBENCH_TIER", "small")
    assert choose("speech").name == "whisper-small"
    assert choose("speech", tier="good").name == "whisper-large-v3-turbo"


def test_a_tier_without_the_role_uses_the_next_lower_one():
    """Scene text is the same model in every tier."""
    assert choose("scene_text", tier="good").name == "rapidocr"
    assert choose("embedding", tier="small").name == "minilm"


def test_a_fake_tier_plays_the_roles_it_has(own, monkeypatch):
    """Tests set VIDBENCH_TIER to a tier of their own catalogue."""
    monkeypatch.setenv("VIDBENCH_TIER", "fake")
    assert choose("speech").name == "pretend"
    assert choose("language").name == "qwen2.5-coder-0.5b"


def test_a_model_without_files_is_always_here(own):
    """A fake needs no folder; its name stands for its checksum."""
    entry = entry_of("pretend")
    assert is_present(entry)
    spec = resolve(entry)
    assert (spec.path, spec.checksum, spec.engine) == ("", "pretend", "fake")


def test_the_shipped_fakes_play_every_role(monkeypatch):
    """The catalogue of the testing package is valid."""
    from importlib import resources

    path = Path(str(resources.files("vidbench.testing") / "fakes.toml"))
    monkeypatch.setenv("VIDBENCH_CATALOGUE", str(path))
    monkeypatch.setenv("VIDBENCH_TIER", "fake")
    for role in ROLES:
        assert resolve(choose(role)).engine == "fake"


def test_an_unknown_tier_is_refused(monkeypatch):
    """A misspelt tier does not fall back in silence."""
    with pytest.raises(InvalidInput, match=r"No tier is called 'huge'.*tiny, small, good"):
        choose("speech", tier="huge")
    monkeypatch.setenv("VIDBENCH_TIER", "tyni")
    with pytest.raises(InvalidInput, match="tyni"):
        choose("speech")


def test_a_model_for_another_role_is_refused():
    """A name must fit the role; the hint lists those that do."""
    with pytest.raises(InvalidInput, match=r"minilm is a model for embedding.*whisper-base"):
        choose("speech", name="minilm")


def test_resolve_says_how_to_get_what_is_missing():
    """The remedy is a command."""
    with pytest.raises(MissingModel, match=r"whisper-base \(speech\) is not.*vidbench models pull whisper-base"):
        resolve(entry_of("whisper-base"))


def test_resolve_pulls_where_it_is_told_how():
    """A job hands in its pull with progress; it is not called where the files are here."""
    calls = []
    entry = entry_with(HUB)
    spec = resolve(entry, pulling=lambda: (calls.append(1), lay(entry)))
    again = resolve(entry, pulling=lambda: calls.append(2))
    assert calls == [1]
    assert spec == again
    assert spec.path == str(folder_of(entry))
    assert spec.checksum == entry.checksum == entry.files[0].sha256


def test_the_version_of_a_library_stands_for_its_models():
    """An updated library is another model for keys and provenance."""
    from importlib.metadata import version

    assert resolve(choose("scene_text")).checksum == f"rapidocr=={version('rapidocr')}"
    assert checksum_of(choose("scene_text")) == f"rapidocr=={version('rapidocr')}"


def test_a_missing_library_is_an_extra():
    """resolve names what to install."""
    rapidocr = entry_of("rapidocr")
    gone = replace(rapidocr, sources=(replace(rapidocr.sources[0], repository="no-such-library"),))
    assert not is_present(gone)
    with pytest.raises(MissingExtra, match=r"vidbench\[scene-text\]"):
        resolve(gone)


def test_the_first_of_a_tier_is_its_choice():
    """pull_tier pulls one model a role."""
    assert first_of("good", "language").name == "qwen3-4b"
    assert first_of("good", "embedding") is None


def test_importing_the_package_is_light():
    """Nothing of the network, of pydantic or of a model library comes with it."""
    import subprocess
    import sys

    script = (
        "import sys, vidbench.models\n"
        "heavy = {'httpx', 'pydantic', 'filelock', 'platformdirs', 'numpy', 'subprocess'} & set(sys.modules)\n"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


def test_all_names_can_be_had():
    """__all__ is what can be imported, and nothing else is."""
    import vidbench.models as package

    for name in package.__all__:
        assert getattr(package, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = package.nothing
    assert catalogue.entries() == package.entries()
