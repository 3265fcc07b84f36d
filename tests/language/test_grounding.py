"""A sentence stands where its words were said; a quote is where it says it is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.contract.describe import Word
from vidbench.language.evidence import Passage
from vidbench.language.grounding import ENOUGH, Quote, is_there, narrow, supporting, verify


def spoken(text, *, start=10.0, gap=0.5, name="p"):
    """A line whose words follow one another every half second."""
    words = tuple(
        Word(word=f" {word}", start_time=start + index * gap, end_time=start + (index + 1) * gap)
        for index, word in enumerate(text.split())
    )
    return Passage(passage_id=name, text=text, start_time=start, end_time=start + len(words) * gap, words=words)


MINUTE = spoken("It's easy. It only takes a minute, and it's totally free.")
LICENCE = spoken("We'll give you a license that says what people can do.", start=40.0, name="q")


@pytest.mark.parametrize(
    ("claim", "least", "most"),
    [
        ("It takes a minute and is free.", 1.0, 1.0),
        ("It takes minutes.", 1.0, 1.0),
        ("It takes a year and costs a fortune.", 0.0, 0.3),
        ("It takes 5 minutes.", 0.0, 0.0),
        ("It was made easy by Edison.", 0.0, 0.0),
        ("", 0.0, 0.0),
    ],
)
def test_support_is_the_share_of_words_that_were_said(claim, least, most):
    """Numbers and names that nobody said make a sentence worthless whatever its other words."""
    assert least <= verify(claim, [MINUTE]) <= most


def test_repeating_the_question_proves_nothing():
    """A sentence whose substance is only in the question is not supported."""
    asked = "What is the capital of Australia?"

    assert verify("The capital of Australia is Canberra.", [MINUTE], asked=asked) == 0.0


def test_a_name_of_the_question_may_be_repeated():
    """The asker's own spelling of a name is no invention."""
    line = spoken("the licenses of creative comments are free")

    support = verify(
        "The licenses of Creative Commons are free.",
        [line],
        asked="Are Creative Commons licenses free?",
    )

    assert support >= ENOUGH


def test_the_fewest_passages_are_cited():
    """A line that adds nothing is not cited, one that adds much is."""
    both = supporting("It takes a minute to give you a license.", [LICENCE, MINUTE])

    assert supporting("It only takes a minute.", [LICENCE, MINUTE]) == (MINUTE,)
    assert set(both) == {LICENCE, MINUTE}
    assert supporting("Nothing of the kind was discussed.", [LICENCE, MINUTE]) == ()
    assert supporting("It is free.", []) == ()


def test_the_models_choice_wins_among_equals():
    """Of two lines that say the same the first one offered is cited."""
    twin = spoken("totally free", name="twin")

    assert supporting("It is free.", [twin, MINUTE]) == (twin,)
    assert supporting("It is free.", [MINUTE, twin]) == (MINUTE,)


def test_a_quote_is_narrowed_to_the_clause():
    """The words that carry the sentence are quoted with their own times, whole clauses, letter for letter."""
    quote = narrow("A minute is enough.", MINUTE)

    assert quote == Quote(passage_id="p", text="It only takes a minute,", start_time=11.0, end_time=13.5)
    assert is_there(quote, MINUTE)


def test_a_line_without_word_times_is_quoted_whole():
    """Text in the picture has one interval only."""
    seen = Passage(passage_id="p", text="DOOR 12", start_time=3.0, end_time=5.0, kind="scene_text")

    assert narrow("Door 12 is shown.", seen) == Quote(passage_id="p", text="DOOR 12", start_time=3.0, end_time=5.0)


def test_words_that_are_not_the_lines_own_are_not_used():
    """Where a line was corrected by hand its old word times do not fit: the whole line is quoted."""
    corrected = Passage(passage_id="p", text="It takes an hour.", start_time=10.0, end_time=16.0, words=MINUTE.words)

    assert narrow("an hour", corrected).text == "It takes an hour."


def test_times_stay_within_the_line():
    """Word times that stick out of their line by rounding are brought back."""
    line = Passage(
        passage_id="p", text="Free", start_time=1.0, end_time=2.0,
        words=(Word(word=" Free", start_time=0.9, end_time=2.1),),
    )  # fmt: skip

    quote = narrow("free", line)

    assert (quote.start_time, quote.end_time) == (1.0, 2.0)
    assert is_there(quote, line)


@pytest.mark.parametrize(
    "change",
    [
        {"text": "takes two minutes"},
        {"text": ""},
        {"start_time": 0.0},
        {"end_time": 99.0},
        {"start_time": 13.0, "end_time": 12.0},
    ],
)
def test_a_quote_that_is_not_there_is_found_out(change):
    """Other words, other times or no words at all are no quote."""
    facts = {
        "passage_id": "p",
        "text": "takes a minute",
        "start_time": 12.0,
        "end_time": 13.0,
    } | change

    assert not is_there(Quote(**facts), MINUTE)


@given(st.text(max_size=60), st.text(min_size=1, max_size=60))
def test_any_quote_is_really_there(claim, text):
    """Whatever is claimed of whatever line, what is quoted stands in it at that time."""
    line = spoken(text)
    quote = narrow(claim, line)

    assert is_there(quote, line)
    assert 0.0 <= verify(claim, [line]) <= 1.0
