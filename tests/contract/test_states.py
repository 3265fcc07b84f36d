"""States of a job and their words on the wire."""

import pytest

from vidbench.contract.states import ENDED, LIVE, WIRE, State, wire_state


def test_every_state_is_either_live_or_ended():
    """No state is both, none is neither."""
    assert set(State) == ENDED | LIVE
    assert not ENDED & LIVE


@pytest.mark.parametrize("resource", sorted(WIRE))
def test_every_state_has_a_word_on_the_wire(resource):
    """Each resource has a word for each state."""
    assert set(WIRE[resource]) == set(State)


@pytest.mark.parametrize(
    ("resource", "words"),
    [
        ("describe", {"pending", "processing", "completed", "failed", "not_applicable"}),
        ("segmentation", {"pending", "processing", "completed", "failed", "not_applicable"}),
        ("frames", {"pending", "processing", "completed", "failed"}),
        ("query", {"completed", "failed", "in_progress", "cancelled"}),
    ],
)
def test_a_resource_uses_the_contracts_words_only(resource, words):
    """The words are those that the interface lists for the resource."""
    assert {wire_state(resource, state) for state in State} <= words
