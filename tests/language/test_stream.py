"""Sentences are read off a stream of JSON, however it is cut."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from vidbench.language.stream import SentenceStream

SENTENCE = st.fixed_dictionaries({"text": st.text(min_size=1), "evidence": st.sampled_from(["L1", "L2"])})


@given(st.lists(SENTENCE, max_size=4), st.booleans(), st.data())
def test_any_cut_gives_the_same_sentences(sentences, ascii_only, data):
    """Chunks of any size give every sentence once, whole and in order, quotes, braces and escapes included."""
    text = json.dumps({"answerable": "yes", "sentences": sentences}, ensure_ascii=ascii_only)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=30)))
    stream = SentenceStream()

    found = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        found += stream.feed(text[start:end])

    assert found == sentences
    assert stream.text == text


@given(st.lists(SENTENCE, min_size=1, max_size=3), st.data())
def test_nothing_given_out_changes_later(sentences, data):
    """Whatever has arrived, the sentences given out so far are a beginning of all of them."""
    text = json.dumps({"answerable": "yes", "sentences": sentences})
    stream = SentenceStream()

    found = stream.feed(text[: data.draw(st.integers(0, len(text)))])

    assert found == sentences[: len(found)]


def test_a_sentence_arrives_with_its_closing_brace():
    """Nobody waits for the whole answer."""
    stream = SentenceStream()

    assert stream.feed('{"answerable": "yes", "sentences": [{"text": "A } b", "evidence": "L1"') == []
    assert stream.feed("}") == [{"text": "A } b", "evidence": "L1"}]


def test_a_refusal_has_no_sentences():
    """The alternative without sentences gives none."""
    assert SentenceStream().feed('{"answerable": "no"}') == []


def test_what_is_no_json_gives_nothing():
    """A model without a grammar may write anything."""
    assert SentenceStream().feed("Sure! Here is {your} answer]}") == []
