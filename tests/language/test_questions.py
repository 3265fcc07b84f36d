"""What is told from a question alone."""

from __future__ import annotations

import pytest

from vidbench.contract.chat import NOT_IN_THESE_VIDEOS, Message
from vidbench.language.evidence import Passage
from vidbench.language.questions import about_the_whole, answers_in_kind, hopeless, retrieval_text


def said(text, cosine=0.0, kind="speech"):
    return Passage(passage_id=text, text=text, cosine=cosine, kind=kind)


def talk(*turns):
    roles = ["user", "assistant"] * len(turns)
    return [Message(content=text, role=role) for text, role in zip(turns, roles, strict=False)]


@pytest.mark.parametrize("question", ["And who says so?", "Why?", "Who says it?", "But is that free?"])
def test_a_follow_up_is_searched_with_what_it_follows(question):
    """Pronouns and bare question words get the question and answer before them."""
    text = retrieval_text(talk("What is a license?", "A license is a permission.", question))

    assert text == f"What is a license? A license is a permission. {question}"


@pytest.mark.parametrize("question", ["Which options can an author choose?", "What is this video about?"])
def test_a_question_that_stands_alone_is_searched_alone(question):
    """What was talked of before does not blur a complete question."""
    assert retrieval_text(talk("What is a license?", "A permission.", question)) == question


def test_a_refusal_before_is_not_searched_for():
    """The words of a refusal are in no video."""
    assert retrieval_text(talk("Who won?", NOT_IN_THESE_VIDEOS, "And when?")) == "Who won? And when?"


def test_a_first_question_may_be_vague():
    """Without a conversation there is nothing to add."""
    assert retrieval_text([Message(role="system", content="Be kind."), Message(content="Who?")]) == "Who?"


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("What is this video about?", True),
        ("Summarise the talk.", True),
        ("What happens in the clip?", True),
        ("What is said about copyright?", False),
    ],
)
def test_questions_about_the_video_as_such(question, whole):
    """They are told by having no word about anything else."""
    assert about_the_whole(question) is whole


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("What is copyright?", []),
        ("What is copyright?", [said("Copyright: about copyright.", 0.9, kind="summary")]),
        ("What colour is the car?", [said("We make free music.", 0.15)]),
        ("How much is the product?", [said("It is totally free.", 0.26)]),
        ("What did Ada Lovelace say about Mars?", [said("People share their work.", 0.5)]),
        ("What happened to copyright in 1976?", [said("Copyright protects.", 0.7)]),
    ],
)
def test_hopeless_questions_need_no_model(question, passages):
    """Nothing to quote, nothing alike, only strangers' names or an unknown year."""
    assert hopeless(question, question, passages)


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("Who pays?", [said("Everybody covers the cost.", 0.35)]),
        ("How much is a license?", [said("Licenses cost nothing.", 0.25)]),
        ("What about Creative Commons licenses?", [said("creative comments license", 0.4)]),
        ("What is this video about?", [said("Hello.", 0.05)]),
        ("Which licenses are free?", [said("Free licenses.", 0.0)]),
    ],
)
def test_questions_with_a_chance_are_asked(question, passages):
    """Likeness, a shared word, a known name, or a question about the whole."""
    assert not hopeless(question, question, passages)


@pytest.mark.parametrize(
    ("question", "sentence", "fits"),
    [
        ("In which year was it founded?", "It is a nice company.", False),
        ("In which year was it founded?", "It was founded in 2001.", True),
        ("How many songs are there?", "There are millions of songs.", True),
        ("How many songs are there?", "Songs are beautiful.", False),
        ("Why songs?", "Songs are beautiful.", True),
    ],
)
def test_an_answer_is_of_the_kind_asked_for(question, sentence, fits):
    """A number where a number is asked for; other questions take any sentence."""
    assert answers_in_kind(question, sentence) is fits
