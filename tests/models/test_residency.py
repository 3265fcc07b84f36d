"""Which models a worker has in memory."""

from __future__ import annotations

from importlib import metadata

import pytest

from vidbench.contract.models import ModelSpec
from vidbench.errors import MissingExtra, MissingModel
from vidbench.models import Residency


class Parrot:
    """A model that remembers how it was made."""

    made = 0

    def __init__(self, spec, threads):
        type(self).made += 1
        self.spec, self.threads, self.closed = spec, threads, False

    def close(self):
        self.closed = True


def spec(name="parrot", role="language", engine="parrot"):
    """A spec of some model."""
    return ModelSpec(name=name, role=role, engine=engine, path="", checksum=name)


class Point:
    """An entry point that needs no installed package."""

    def __init__(self, name, loaded):
        self.name, self.loaded = name, loaded

    def load(self):
        if isinstance(self.loaded, Exception):
            raise self.loaded
        return self.loaded


@pytest.fixture(autouse=True)
def engines(monkeypatch):
    """Two engines for every role."""
    missing = ModuleNotFoundError("No module named 'bird_song'", name="bird_song")
    points = [Point("parrot", Parrot), Point("mute", missing)]
    monkeypatch.setattr(metadata, "entry_points", lambda *, group: points if "." in group else [])
    Parrot.made = 0


def test_a_model_is_made_once_and_only_when_asked_for():
    """Naming a model loads nothing; asking twice loads it once."""
    residency = Residency({"language": spec()}, threads=2)
    assert Parrot.made == 0
    first = residency.get("language")
    assert residency.get("language") is first
    assert (first.spec, first.threads, Parrot.made) == (spec(), 2, 1)


def test_the_same_spec_and_threads_keep_the_model():
    """The next unit finds it loaded."""
    residency = Residency()
    residency.update({"language": spec()}, 2)
    first = residency.get("language")
    residency.update({"language": spec()}, 2)
    assert residency.get("language") is first
    assert not first.closed


@pytest.mark.parametrize(("name", "threads"), [("other", 2), ("parrot", 1)])
def test_another_spec_or_thread_count_closes_it(name, threads):
    """What does not fit any more is closed before the next is made."""
    residency = Residency({"language": spec()}, 2)
    first = residency.get("language")
    residency.update({"language": spec(name)}, threads)
    assert first.closed
    assert residency.get("language").spec.name == name


def test_a_unit_without_the_role_leaves_the_model():
    """Embedding between two summaries does not cost a reload."""
    residency = Residency({"language": spec()}, 2)
    first = residency.get("language")
    residency.update({"embedding": spec(role="embedding")}, 2)
    residency.get("embedding")
    residency.update({"language": spec()}, 2)
    assert residency.get("language") is first


def test_close_closes_everything():
    """A worker that ends leaves nothing open."""
    residency = Residency({"language": spec(), "embedding": spec(role="embedding")}, 2)
    models = [residency.get("language"), residency.get("embedding")]
    residency.close()
    assert all(model.closed for model in models)


def test_an_unknown_engine_lists_the_known():
    """A catalogue may name an engine that is not installed."""
    residency = Residency({"language": spec(engine="cuckoo")}, 2)
    with pytest.raises(MissingModel, match=r"'cuckoo' for language.*available: mute, parrot"):
        residency.get("language")


def test_a_missing_library_names_its_extra():
    """An engine whose library is not there says what to install."""
    residency = Residency({"language": spec(engine="mute")}, 2)
    with pytest.raises(MissingExtra, match=r"bird_song is not installed.*vidbench\[language\]"):
        residency.get("language")


def test_a_role_that_the_unit_does_not_name_is_an_error():
    """A stage cannot use what its key does not hold."""
    with pytest.raises(MissingModel, match="no model for speech"):
        Residency({"language": spec()}, 2).get("speech")


def test_our_own_engines_use_the_same_door(monkeypatch):
    """Every role's group has its engine and the fake."""
    monkeypatch.undo()
    for role, engine in {
        "speech": "faster-whisper",
        "language": "llama-cpp",
        "scene_text": "rapidocr",
        "embedding": "onnx",
    }.items():
        assert {engine, "fake"} <= {point.name for point in metadata.entry_points(group=f"vidbench.{role}")}
