"""What can be told from a question before a model reads it: what to search for, and whether there is hope."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidbench.contract.chat import NOT_IN_THESE_VIDEOS, Message
from vidbench.language.evidence import PRIMARY, Passage
from vidbench.language.words import content, knows, names, numbers, stem, words

LIKELY = 0.3
"""Cosine from which a passage can answer a question although they share no word.

Measured with all-MiniLM-L6-v2 on the bundled clip: questions about it reach 0.26 to 0.80, questions about
anything else 0.12 to 0.32.
"""
POSSIBLE = 0.2
"""Cosine from which a passage can answer a question that it shares a content word with."""
COVERED = 0.5
"""Share of a question's content words that makes a passage worth reading whatever its cosine."""
YEAR_DIGITS = 3
"""A number of at least this many digits in a question has to be in the evidence."""
FEW_WORDS = 2
"""A question with a pronoun and no more content words than this is about what was said before."""
_BACK = "he her him his it its she that their them there these they this those who so"
_POINTS_BACK = frozenset(_BACK.split())
_JOINS_ON = frozenset(("and", "but", "or", "so", "then", "also"))
_WHOLE = """
clip content describe described discuss discussed discusses episode film footage happen happens
idea lecture main message movie mention mentioned overview people person point presentation
recording sentence short show shown speaker speech subject summarise summarize summary talk
talked talking talks tell theme thing things title topic topics video videos
"""
_ABOUT_THE_WHOLE = frozenset(stem(word) for word in _WHOLE.split())
_QUANTITY = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|dozens?|hundreds?|thousands?|millions?"
    r"|billions?|half|twice|once|none|no|zero|several|many|few|all|every|countless|single|a|an)\b",
    re.IGNORECASE,
)
_YEAR = re.compile(r"\d{3,4}|\bago\b|\bcentury\b|\byears?\b", re.IGNORECASE)


def retrieval_text(messages: Sequence[Message]) -> str:
    """The last question, with as much of the conversation as it takes to search for it.

    A follow-up (it begins with "and", points back with "it" or "so", or has hardly a content word) is
    searched together with the question and the answer before it.

    Example:
        >>> ask = Message(content="Who owns the copyright?")
        >>> told = Message(role="assistant", content="You own it automatically.")
        >>> retrieval_text([ask, told, Message(content="And who says so?")])
        'Who owns the copyright? You own it automatically. And who says so?'
    """
    turns = [turn for turn in messages if turn.role != "system"]
    question = turns[-1].content.strip()
    if not _follows_up(question):
        return question
    before = turns[:-1]
    asked = [turn.content for turn in before if turn.role == "user"][-1:]
    told = [turn.content for turn in before if turn.role == "assistant"][-1:]
    told = [text for text in told if NOT_IN_THESE_VIDEOS not in text]
    return " ".join(text.strip() for text in (*asked, *told, question))


def about_the_whole(question: str) -> bool:
    """Whether *question* asks for the video as such: no single line answers it.

    Example:
        >>> about_the_whole("What is this video about?"), about_the_whole("What is copyright about?")
        (True, False)
    """
    return set(content(question)) <= _ABOUT_THE_WHOLE


def hopeless(question: str, sought: str, passages: Sequence[Passage]) -> bool:
    """Whether nothing in *passages* can bear an answer, so that no model needs to be asked.

    Args:
        question: what was asked.
        sought: what was searched for (``retrieval_text``).
        passages: what the search found.
    """
    primary = [passage for passage in passages if passage.kind in PRIMARY]
    if not primary or _asks_for_strangers(question, passages):
        return True
    return not about_the_whole(sought) and not any(promising(sought, one) for one in primary)


def promising(sought: str, passage: Passage) -> bool:
    """Whether *passage* may have to do with the question."""
    wanted = [word for word in content(sought) if word not in _ABOUT_THE_WHOLE]
    shared = set(wanted) & set(content(passage.text))
    if passage.cosine >= LIKELY or (passage.cosine >= POSSIBLE and shared):
        return True
    return bool(wanted) and len(shared) >= COVERED * len(wanted)


def answers_in_kind(question: str, sentence: str) -> bool:
    """Whether *sentence* names a quantity or a year where *question* asks for one (English questions only).

    Example:
        >>> answers_in_kind("How many years does it last?", "Copyright protects your work.")
        False
    """
    asked = question.lower()
    if re.search(r"\b(what|which) year\b", asked):
        return bool(_YEAR.search(sentence))
    if re.search(r"\bhow (many|old|tall|far|long|heavy)\b", asked):
        return bool(_QUANTITY.search(sentence))
    return True


def _follows_up(question: str) -> bool:
    asked = [word.lower() for word in words(question)]
    meant = content(question)
    if asked and asked[0] in _JOINS_ON:
        return True
    if meant and about_the_whole(question):
        return False
    points_back = bool(_POINTS_BACK & set(asked[1:]))
    return not meant or (points_back and len(meant) <= FEW_WORDS)


def _asks_for_strangers(question: str, passages: Sequence[Passage]) -> bool:
    """Whether the question is about names or years of which the passages know none."""
    known = " ".join(f"{passage.text} {passage.filename}" for passage in passages)
    asked = names(question)
    years = {number for number in numbers(question) if len(number) >= YEAR_DIGITS}
    strangers = [name for name in asked if not knows(name, known)]
    return bool(asked and strangers == asked) or not years <= numbers(known)
