"""Numbered lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.language.evidence import Evidence, Passage, clock, fitting


def line(number, **facts):
    return Passage(passage_id=f"p{number}", text=f"line number {number}", start_time=number * 10.0, **facts)


def test_lines_show_an_id_a_time_and_the_text():
    """What a model reads names no row, and one file needs no name."""
    evidence = Evidence((line(0), line(7)))

    assert evidence.prompt() == "L1 [00:00] line number 0\nL2 [01:10] line number 7"
    assert evidence["L2"].passage_id == "p7"


def test_several_files_are_told_apart():
    """With two files each line says where it comes from."""
    evidence = Evidence((line(1, file_id="a", filename="a.mp4"), line(2, file_id="b", filename="b.mp4")))

    assert evidence.prompt().splitlines()[1] == "L2 [b.mp4 00:20] line number 2"


def test_text_in_the_picture_is_marked_as_such():
    """What is seen is not what is said."""
    seen = Passage(passage_id="p", text="ACCESS\nDENIED", kind="scene_text")

    assert Evidence((seen,)).prompt() == 'L1 [00:00] on screen: "ACCESS DENIED"'


def test_an_id_that_was_not_offered_is_an_error():
    """Nothing is guessed from an unknown id."""
    with pytest.raises(KeyError):
        Evidence((line(1),))["L2"]


def test_a_passage_reads_what_a_search_gives():
    """Unknown fields are left aside, missing ones have their defaults."""
    row = {
        "passage_id": "p",
        "text": "Hello there",
        "rank": 3,
        "filename": None,
        "words": [{"word": " Hello", "start_time": 1.0, "end_time": 1.5, "confidence": 0.9}],
    }

    passage = Passage.of(row)

    assert passage.filename == ""
    assert passage.words[0].word == " Hello"


@given(st.integers(0, 60), st.integers(0, 400))
def test_lines_that_fit_are_spread_over_the_whole(number, tokens):
    """The budget holds, the order stays, and as long as two fit the beginning is among them."""
    lines = [line(index) for index in range(number)]

    def count(text):
        return len(text) // 4

    kept = fitting(lines, tokens=tokens, count=count)

    assert count(Evidence(kept).prompt()) <= tokens or not kept
    assert [one.start_time for one in kept] == sorted({one.start_time for one in kept})
    assert kept[:1] == tuple(lines[:1]) or not kept


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "00:00"), (59.99, "00:59"), (3600, "1:00:00"), (36125.5, "10:02:05")]
)
def test_a_clock_rounds_down(seconds, shown):
    """A line is never shown later than it begins."""
    assert clock(seconds) == shown
