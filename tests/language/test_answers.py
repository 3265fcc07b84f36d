"""Answers cite, or they refuse."""

from __future__ import annotations

import dataclasses

import pytest

from vidbench.contract.chat import NOT_IN_THESE_VIDEOS, Message
from vidbench.contract.describe import Word
from vidbench.errors import Interrupted
from vidbench.language.answers import answer, offered
from vidbench.language.evidence import Passage
from vidbench.language.protocols import Preempted

ASK = [Message(content="How long does a license take?")]


def line(number, text, cosine):
    words = tuple(
        Word(
            word=word,
            start_time=number * 10 + index * 0.5,
            end_time=number * 10 + index * 0.5 + 0.5,
        )
        for index, word in enumerate(text.split())
    )
    start, end = words[0].start_time, words[-1].end_time
    return Passage(
        passage_id=f"p{number}",
        text=text,
        cosine=cosine,
        start_time=start,
        end_time=end,
        words=words,
    )


FREE = line(1, "It's easy. It only takes a minute, and it's totally free.", 0.5)
LICENSE = line(2, "Then you get a license for your work.", 0.45)
FAR = line(3, "Welcome to a new world.", 0.1)
ABOUT = Passage(passage_id="s", text="Licenses: about licenses.", kind="summary", cosine=0.9)


def yes(*sentences):
    rows = [{"text": text, "evidence": chosen} for text, chosen in sentences]
    return {"answerable": "yes", "sentences": rows}


def test_sentences_cite_the_words_that_carry_them(scripted, calm, finish):
    """Each sentence is given out once checked, and what was given out is the answer."""
    model = scripted(yes(("It only takes a minute.", "L1"), ("You get a license for your work.", "L2")))

    pieces, said = finish(answer(model, ASK, [LICENSE, FREE, FAR, ABOUT], calm))

    assert said.answered
    assert "".join(pieces) == said.text == "It only takes a minute. You get a license for your work."
    assert [claim.evidence for claim in said.claims] == [("p1",), ("p2",)]
    quotes = [(claim, quote.text, quote.start_time, quote.end_time) for claim, quote in said.quotes]
    assert quotes[0] == (0, "It only takes a minute,", 11.0, 13.5)
    assert said.usage.total_tokens == 15


def test_a_wrong_choice_of_line_is_put_right(scripted, calm, finish):
    """The line that has the words is cited, whichever the model named."""
    _, said = finish(answer(scripted(yes(("It only takes a minute.", "L2"))), ASK, [FREE, LICENSE], calm))

    assert said.claims[0].evidence == ("p1",)


def test_what_nothing_carries_is_dropped(scripted, calm, finish):
    """An invented number does not reach the reader, but is kept for the record."""
    model = scripted(yes(("It only takes a minute.", "L1"), ("It takes 12 days.", "L1")))

    pieces, said = finish(answer(model, ASK, [FREE, LICENSE], calm))

    assert "".join(pieces) == said.text == "It only takes a minute."
    assert said.unsupported == ("It takes 12 days.",)


@pytest.mark.parametrize(
    ("question", "opening"),
    [
        ("Who founded the license?", "The license was founded by Ada Lovelace."),
        ("In which year did the license start?", "You get a license for your work."),
    ],
)
def test_an_opening_that_is_invented_spoils_the_answer(scripted, calm, finish, question, opening):
    """After an invention or an evasion small models fill up with lines that are true and beside the point."""
    model = scripted(yes((opening, "L1"), ("It's easy and totally free.", "L1")))

    _, said = finish(answer(model, [Message(content=question)], [FREE, LICENSE], calm))

    assert not said.answered
    assert said.unsupported == (opening,)


def test_a_sentence_said_twice_is_given_once(scripted, calm, finish):
    """Small models repeat themselves."""
    model = scripted(yes(("It only takes a minute.", "L1"), ("it only takes a minute", "L2")))

    _, said = finish(answer(model, ASK, [FREE, LICENSE], calm))

    assert len(said.claims) == 1


def test_a_refusal_is_a_refusal(scripted, calm, finish):
    """The model says no: nothing is quoted."""
    pieces, said = finish(answer(scripted({"answerable": "no"}), ASK, [FREE], calm))

    assert pieces == [NOT_IN_THESE_VIDEOS]
    assert (said.answered, said.claims, said.quotes, said.extractive) == (False, (), (), False)


def test_a_hopeless_question_asks_no_model(scripted, calm, finish):
    """Without anything alike there is no call and no usage."""
    model = scripted()

    _, said = finish(answer(model, [Message(content="Which colour has the car?")], [FAR], calm))

    assert not said.answered
    assert said.usage.total_tokens == 0
    assert model.requests == []


def test_near_lines_are_quoted_where_the_model_is_of_no_use(scripted, calm, finish):
    """Unreadable text gives way to the lines themselves, and the answer says so."""
    pieces, said = finish(answer(scripted("no JSON at all"), ASK, [FREE, LICENSE, FAR], calm))

    assert said.extractive
    assert [claim.text for claim in said.claims] == [FREE.text, LICENSE.text]
    assert "".join(pieces) == said.text


def test_an_answer_of_inventions_is_a_refusal(scripted, calm, finish):
    """Where nothing stands nothing is said, however near the lines."""
    model = scripted(yes(("Bananas grow in Panama.", "L1"), ("Free.", "L1")))

    pieces, said = finish(answer(model, ASK, [FREE, LICENSE], calm))

    assert pieces == [NOT_IN_THESE_VIDEOS]
    assert said.unsupported == ("Bananas grow in Panama.",)


def test_a_question_about_the_whole_is_answered_by_summing_up(scripted, calm, finish):
    """The lines found are taken in order of time, however little they are like the question."""
    model = scripted(
        {
            "first": {"evidence": "L1", "text": "It only takes a minute."},
            "second": {"evidence": "L2", "text": "You get a license for your work."},
            "title": "License",
        }
    )

    pieces, said = finish(answer(model, [Message(content="What is this video about?")], [FAR, LICENSE, FREE], calm))

    assert "".join(pieces) == said.text == "It only takes a minute. You get a license for your work."
    assert [quote.passage_id for _, quote in said.quotes] == ["p1", "p2"]


def test_a_question_about_the_whole_of_nothing_is_refused(scripted, calm, finish):
    """Without a line there is nothing to sum up."""
    pieces, _ = finish(answer(scripted(), [Message(content="What is this video about?")], [ABOUT], calm))

    assert pieces == [NOT_IN_THESE_VIDEOS]


def test_lines_that_are_not_near_enough_are_not_quoted(scripted, calm, finish):
    """Quoting is for lines that are much like the question."""
    weak = dataclasses.replace(LICENSE, cosine=0.32)

    _, said = finish(answer(scripted("no JSON"), ASK, [weak], calm))

    assert not said.answered


def test_standing_aside_repeats_nothing(scripted, calm, finish):
    """A call that was broken off and made again gives out each sentence once."""
    model = scripted(Preempted, yes(("It only takes a minute.", "L1")))

    pieces, said = finish(answer(model, ASK, [FREE], calm))

    assert None in pieces
    assert "".join(filter(None, pieces)) == said.text == "It only takes a minute."


def test_a_cancel_ends_the_answer(scripted, calm, finish):
    """Cancelling raises; nothing half said is returned."""
    calm.cancelled = True

    with pytest.raises(Interrupted):
        finish(answer(scripted(yes(("It only takes a minute.", "L1"))), ASK, [FREE], calm))


def test_the_best_lines_stand_first_and_far_ones_are_left_out(scripted):
    """Only what can be quoted is offered."""
    model = scripted()

    assert offered(model, [LICENSE, FAR, FREE, ABOUT]).passages == (FREE, LICENSE)


def test_offered_lines_fit_the_context(scripted):
    """A small context gets fewer lines, never a prompt that is too long."""
    model = scripted()
    model.context = 50

    assert len(offered(model, [FREE, LICENSE]).passages) == 1


def test_a_follow_up_brings_what_was_said(scripted, calm, finish):
    """The model is shown the turn before."""
    model = scripted(yes(("It is totally free.", "L1")))
    talk = [
        *ASK,
        Message(role="assistant", content="It only takes a minute."),
        Message(content="And what does it cost?"),
    ]

    finish(answer(model, talk, [FREE, ABOUT], calm))

    shown = model.requests[0].messages[-1].content
    assert "Said before: How long does a license take? It only takes a minute." in shown
    assert shown.endswith("Question: And what does it cost?")


def test_two_near_lines_ask_for_two_sentences(scripted, calm, finish):
    """Where there is material for two citations the grammar asks for both."""
    model = scripted({"answerable": "no"}, {"answerable": "no"})

    finish(answer(model, ASK, [FREE, LICENSE], calm))
    finish(answer(model, ASK, [FREE], calm))

    least = [request.schema["anyOf"][1]["properties"]["sentences"]["minItems"] for request in model.requests]
    assert least == [2, 1]


def test_temperature_reaches_the_model(scripted, calm, finish):
    """What the asker set is what the model gets."""
    model = scripted({"answerable": "no"})

    finish(answer(model, ASK, [FREE], calm, temperature=0.7))

    assert model.requests[0].temperature == 0.7
