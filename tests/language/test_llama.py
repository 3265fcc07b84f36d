"""The real language model: bounded, repeatable, and stopped at any moment."""

from __future__ import annotations

import json
import threading
import time

import pytest

from vidbench.contract.chat import Message
from vidbench.contract.models import ModelSpec
from vidbench.errors import Interrupted, InvalidInput, MissingModel
from vidbench.language.llama import LlamaCpp, model_file
from vidbench.language.protocols import Completion, Preempted
from vidbench.language.schemas import choice, record, several, text

LONG = "The river was wide and the boat was small. " * 280


def spec(path):
    return ModelSpec(name="tiny", role="language", engine="llama-cpp", path=str(path), checksum="", context=4096)


def request(asked="Name the colour of snow.", *, schema=None, tokens=60, **facts):
    told = (Message(role="system", content="Answer briefly."), Message(content=asked))
    schema = schema or record(answer=text(80))
    return Completion(messages=told, schema=schema, max_tokens=tokens, **facts)


@pytest.fixture(scope="module")
def model(models_dir):
    model = LlamaCpp(spec(models_dir / "qwen2.5-coder-0.5b"), threads=1)
    yield model
    model.close()


@pytest.mark.parametrize(("files", "found"), [(["a.gguf"], "a.gguf"), (["model.gguf", "z.gguf"], "model.gguf")])
def test_the_file_is_found(tmp_path, files, found):
    """One file needs no name; among several it is model.gguf."""
    for name in files:
        (tmp_path / name).touch()

    assert model_file(spec(tmp_path)).name == found


@pytest.mark.parametrize("files", [[], ["a.gguf", "b.gguf"]])
def test_a_missing_file_is_an_error_with_a_remedy(tmp_path, files):
    """None, or none that stands out: the error names the folder and the command."""
    for name in files:
        (tmp_path / name).touch()

    with pytest.raises(MissingModel, match=r"model\.gguf") as caught:
        model_file(spec(tmp_path))

    assert caught.value.file == str(tmp_path)


def test_a_file_that_is_no_model_is_an_error(tmp_path):
    """A damaged file is reported as such, not as a crash."""
    pytest.importorskip("llama_cpp")
    (tmp_path / "model.gguf").write_bytes(b"not a model")

    with pytest.raises(MissingModel, match="cannot be loaded"):
        LlamaCpp(spec(tmp_path), threads=1).count("a")


@pytest.mark.model
def test_the_grammar_holds(model, calm, finish):
    """What comes out is the schema's JSON, every length bounded, and usage counts real tokens."""
    schema = record(pick=choice(["L1", "L2"]), items=several(text(12), least=2, most=2))

    pieces, usage = finish(model.complete(request(schema=schema), calm))

    data = json.loads("".join(pieces))
    assert data["pick"] in {"L1", "L2"}
    assert [len(item) <= 12 for item in data["items"]] == [True, True]
    assert usage.completion_tokens >= len(pieces)
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@pytest.mark.model
def test_the_answer_does_not_depend_on_what_was_asked_before(model, calm, finish):
    """Neither other prompts, nor temperature, nor a reload change what a request gives."""
    first = finish(model.complete(request(), calm))
    warm = finish(model.complete(request(temperature=0.9, seed=5), calm))
    finish(model.complete(request("Name the colour of coal."), calm))

    assert finish(model.complete(request(), calm)) == first
    assert finish(model.complete(request(temperature=0.9, seed=5), calm)) == warm
    model.close()
    assert finish(model.complete(request(), calm)) == first


@pytest.mark.model
@pytest.mark.parametrize("field", ["cancelled", "preempted"])
def test_prompt_evaluation_stops_at_once(model, calm, finish, field):
    """Well under a second into a prompt that takes many, and the same model goes on answering."""
    finish(model.complete(request(), calm))  # loaded before the clock starts
    set_at = []

    def stop():
        set_at.append(time.monotonic())
        setattr(calm, field, True)

    timer = threading.Timer(0.5, stop)
    timer.start()
    with pytest.raises(Interrupted) as caught:
        finish(model.complete(request(LONG), calm))

    assert time.monotonic() - set_at[0] < 0.7
    assert isinstance(caught.value, Preempted) is (field == "preempted")
    setattr(calm, field, False)
    assert finish(model.complete(request(), calm))[0]


@pytest.mark.model
def test_generation_stops_between_two_tokens(model, calm, finish):
    """A cancel in the middle of an answer ends it, and the next answer is whole."""
    whole = finish(model.complete(request(), calm))
    pieces = model.complete(request("Tell a long story.", schema=record(story=text(900)), tokens=300), calm)
    next(pieces)
    calm.cancelled = True
    begin = time.monotonic()

    with pytest.raises(Interrupted):
        next(pieces)

    assert time.monotonic() - begin < 0.7
    calm.cancelled = False
    assert finish(model.complete(request(), calm)) == whole


@pytest.mark.model
def test_two_calls_do_not_mix(model, calm, finish):
    """A call that finds the model taken by another stands aside instead of writing on in its text."""
    whole = finish(model.complete(request(), calm))
    first = model.complete(request("Tell a long story.", schema=record(story=text(900))), calm)
    next(first)

    assert finish(model.complete(request(), calm)) == whole
    with pytest.raises(Preempted):
        next(first)


@pytest.mark.model
def test_a_model_closed_in_the_middle_is_not_touched(model, calm, finish):
    """Closing frees the memory; the call that was under way stands aside."""
    first = model.complete(request("Tell a long story.", schema=record(story=text(900))), calm)
    next(first)
    model.close()

    with pytest.raises(Preempted):
        next(first)


@pytest.mark.model
def test_a_prompt_that_does_not_fit_is_refused(model, calm, finish):
    """The error has the numbers; nothing is cut silently."""
    with pytest.raises(InvalidInput, match="4096"):
        finish(model.complete(request(LONG * 3), calm))


@pytest.mark.model
def test_tokens_are_the_models_own(model):
    """Counting is by the model, so that budgets hold."""
    assert model.count("") == 0
    assert 1 <= model.count("hello") <= 3
    assert model.count("<|im_end|>") > 1
