"""Texts on the screen, put together from readings."""

import json

import pytest

from vidbench.contract.describe import SceneText
from vidbench.perception.text_tracks import TextTracks, same_text

TOP = (0.1, 0.1, 0.5, 0.2)
BOTTOM = (0.1, 0.8, 0.5, 0.9)


def read(text, confidence=0.95, box=TOP):
    """A reading of one picture."""
    return SceneText(text=text, start_time=0.0, end_time=0.0, confidence=confidence, box=box)


def tracked(pictures, end=99.0, *, parked=False):
    """Rows of pictures, given as (time, readings); with *parked* the state goes through JSON after each."""
    tracks, rows = TextTracks(), []
    for time, readings in pictures:
        rows += tracks.see(time, readings)
        if parked:
            tracks = TextTracks(json.loads(json.dumps(tracks.state())))
    return [(row.text, row.start_time, row.end_time) for row in rows + tracks.finish(end)]


def test_a_text_lasts_from_its_first_sighting_to_the_first_picture_without_it():
    """The interval is half-open."""
    pictures = [(1.0, [read("HELLO")]), (2.0, [read("HELLO")]), (3.0, []), (4.0, []), (5.0, [])]
    assert tracked(pictures) == [("HELLO", 1.0, 3.0)]


def test_a_text_on_the_last_picture_lasts_to_the_end():
    """What is still shown ends with the media."""
    assert tracked([(7.0, [read("THE END")])], end=9.5) == [("THE END", 7.0, 9.5)]


def test_a_text_missing_on_the_last_picture_ends_there():
    """The media's end is not taken where the last picture lacked the text."""
    assert tracked([(7.0, [read("THE END")]), (8.0, [])], end=9.5) == [("THE END", 7.0, 8.0)]


def test_one_missed_picture_does_not_break_a_text():
    """Reading fails once in a while."""
    pictures = [(1.0, [read("HELLO")]), (2.0, []), (3.0, [read("HELLO")])]
    assert tracked(pictures, end=4.0) == [("HELLO", 1.0, 4.0)]


def test_two_missed_pictures_end_a_text():
    """The same words later are another text."""
    pictures = [(1.0, [read("HELLO")]), (2.0, []), (3.0, []), (4.0, [read("HELLO")])]
    assert tracked(pictures, end=5.0) == [("HELLO", 1.0, 2.0), ("HELLO", 4.0, 5.0)]


def test_the_best_reading_stands():
    """The surer of two readings is kept, with the time of the first."""
    pictures = [(1.0, [read("supporters larqe", 0.82)]), (2.0, [read("supporters large", 0.99)])]
    assert tracked(pictures, end=3.0) == [("supporters large", 1.0, 3.0)]


def test_writing_in_progress_is_one_text():
    """A line that is being written comes out whole."""
    pictures = [
        (1.0, [read("IT ONLY")]),
        (1.5, [read("IT ONLY TAKES A")]),
        (2.0, [read("IT ONLY TAKES A MINUTE")]),
    ]
    assert tracked(pictures, end=3.0) == [("IT ONLY TAKES A MINUTE", 1.0, 3.0)]


def test_a_clock_gives_a_text_a_reading():
    """Other digits are another text."""
    pictures = [(1.0, [read("01:00:01")]), (2.0, [read("01:00:02")]), (3.0, [read("01:00:03")])]
    assert [row[0] for row in sorted(tracked(pictures), key=lambda row: row[1])] == [
        "01:00:01", "01:00:02", "01:00:03",
    ]  # fmt: skip


def test_equal_texts_at_two_places_are_two():
    """Two answers that read Yes are two rows."""
    both = [read("Yes"), read("Yes", box=BOTTOM)]
    assert tracked([(1.0, both), (2.0, both)], end=3.0) == [("Yes", 1.0, 3.0)] * 2


def test_a_doubtful_reading_is_dropped():
    """What is read with less than 0.8 is left out, and so are single letters."""
    assert tracked([(1.0, [read("pattern", 0.79), read("m", 0.99), read("日", 0.99)])]) == []


def test_a_parked_tracker_goes_on():
    """State that went through JSON changes nothing."""
    pictures = [
        (1.0, [read("HELLO"), read("Yes", box=BOTTOM)]), (2.0, [read("HELL0 THERE")]),
        (3.0, [read("HELLO THERE")]), (4.5, []), (5.0, [read("BYE")]), (6.0, []),
    ]  # fmt: skip
    assert tracked(pictures, parked=True) == tracked(pictures)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("creative", "Creative", True),
        ("THE RULES OF", "THERULESOF", True),
        ("supporters, large", "supporters, larçe", True),
        ("Yes", "No", False),
        ("AB", "ABCDEF", False),
        ("page 1", "page 2", False),
        ("ATTRIBUTION 2.5", "ATTRIBUTION 2.5", True),
    ],
)
def test_readings_are_compared_loosely(one, other, same):
    """Case, blanks and single letters do not matter; digits do."""
    assert same_text(read(one), read(other)) is same


def test_far_readings_are_not_the_same():
    """The same words elsewhere are another text."""
    assert not same_text(read("HELLO"), read("HELLO", box=BOTTOM))
