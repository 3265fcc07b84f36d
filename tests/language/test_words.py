"""Stems, names and sentences."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.language.words import content, knows, names, numbers, sentences, stem, tidy


@pytest.mark.parametrize(
    "forms",
    [
        ("share", "shares", "shared", "sharing"),
        ("use", "uses", "used", "using"),
        ("license", "licenses", "licensed"),
        ("story", "stories"),
        ("modify", "modified", "modifies"),
        ("people", "people's", "people\u2019s"),
    ],
)
def test_forms_of_a_word_share_a_stem(forms):
    """Plural, past and progressive forms are the same word."""
    assert len({stem(form) for form in forms}) == 1


@pytest.mark.parametrize(("one", "other"), [("bus", "bu"), ("press", "pres"), ("art", "artist")])
def test_different_words_stay_different(one, other):
    """What is no ending is not cut."""
    assert stem(one) != stem(other)


@given(st.text())
def test_any_text_has_stems(text):
    """No text is too odd, and no stem is empty."""
    assert all(content(text))


def test_function_words_carry_no_content():
    """A sentence of function words has nothing that evidence could carry."""
    assert content("What is it that they do?") == []


def test_numbers_are_found_inside_other_signs():
    """Digits count wherever they stand."""
    assert numbers("$5,000 in 1998") == {"5", "000", "1998"}


def test_a_sentence_opening_is_no_name():
    """Only a capital inside a sentence makes a name."""
    assert names("Copyright is old. Who knows Ada? In Rome: Nobody.") == ["Ada", "Rome"]


@pytest.mark.parametrize(
    ("name", "text", "known"),
    [
        ("Commons", "using creative comments", True),
        ("Musk", "the mask of the artist", False),
        ("Australia", "", False),
        ("CREATIVE", "creative", True),
    ],
)
def test_names_are_known_as_heard(name, text, known):
    """A name that a speech model wrote a little differently is still that name."""
    assert knows(name, text) is known


def test_sentences_end_where_a_blank_follows():
    """A point inside a number ends nothing."""
    assert sentences("It took 2.5 hours. Why?  Nobody\nknows") == [
        "It took 2.5 hours.",
        "Why?",
        "Nobody knows",
    ]


@pytest.mark.parametrize(
    ("text", "tidied"),
    [
        ("", ""),
        ("One. Two thr", "One."),
        ("Whole sentence!", "Whole sentence!"),
        ("cut", "cut"),
        ("It did not exist, bu", "It did not exist…"),
    ],
)
def test_what_was_cut_off_is_left_out(text, tidied):
    """A text cut at its length limit ends with its last whole sentence."""
    assert tidy(text) == tidied
