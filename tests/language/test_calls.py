"""Calls that stand aside and answers that are asked for again."""

from __future__ import annotations

import pytest

from vidbench.contract.chat import Message
from vidbench.errors import Interrupted
from vidbench.language.calls import REPAIR_TEMPERATURE, patient, structured
from vidbench.language.protocols import Completion, Preempted

REQUEST = Completion(messages=(Message(content="Hello"),), schema={"type": "object"}, max_tokens=9, seed=3)


def test_a_call_that_stood_aside_is_made_again(scripted, calm, finish):
    """The break is told, what came before it is void, and the same request is repeated."""
    model = scripted(Preempted, Preempted, '{"a":1}')

    pieces, usage = finish(patient(model, REQUEST, calm))

    assert pieces == ['{"answerable"', None, '{"answerable"', None, '{"a":1}']
    assert model.requests == [REQUEST] * 3
    assert usage.total_tokens == 15


def test_a_cancelled_call_is_not_repeated(scripted, calm, finish):
    """Cancelling is no standing aside."""
    calm.cancelled = True

    with pytest.raises(Interrupted) as caught:
        finish(patient(scripted("{}"), REQUEST, calm))

    assert not isinstance(caught.value, Preempted)


def test_broken_json_is_asked_for_once_more(scripted, calm, finish):
    """The second try has another seed and some temperature, and its tokens are counted too."""
    model = scripted('{"title": "cut o', Preempted, {"title": "whole"})

    pauses, reply = finish(structured(model, REQUEST, calm))

    assert pauses == [None]
    assert reply.data == {"title": "whole"}
    assert reply.repaired
    assert reply.usage.total_tokens == 30
    assert (model.requests[-1].seed, model.requests[-1].temperature) == (4, REPAIR_TEMPERATURE)


def test_a_model_that_fails_twice_gives_nothing(scripted, calm, finish):
    """After the second try it is the caller's turn."""
    _, reply = finish(structured(scripted("Sure!", "[1]"), REQUEST, calm))

    assert reply.data is None
    assert not reply.repaired
