"""What can be said without a model: the most telling lines, as they stand."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

from vidbench.language.evidence import Passage
from vidbench.language.words import content, words

TITLE_WORDS = 8
FEWEST_WORDS = 4
"""A sentence of fewer words tells a reader nothing out of its place."""


def central(passages: Sequence[Passage], number: int) -> tuple[Passage, ...]:
    """The *number* passages whose words recur most in all of them, in their own order (Luhn 1958).

    Args:
        passages: in order of time.
        number: how many at most.

    Example:
        >>> lines = [Passage(passage_id=text, text=text) for text in ("Hello.", "Free music.", "Music is free.")]
        >>> [line.text for line in central(lines, 1)]
        ['Free music.']
    """
    counts = Counter(word for passage in passages for word in content(passage.text))

    def weight(index: int) -> float:
        stems = content(passages[index].text)
        # The square root favours fuller lines, but not simply the longest.
        recurring = sum(counts[word] - 1 for word in stems)
        return recurring / math.sqrt(max(len(stems), 1))

    chosen = sorted(range(len(passages)), key=lambda index: (-weight(index), index))[:number]
    return tuple(passages[index] for index in sorted(chosen))


def statements(passages: Sequence[Passage]) -> Sequence[Passage]:
    """Those of *passages* that say something: no question, no exclamation, no half sentence; all where none does.

    Example:
        >>> lines = [Passage(passage_id=text, text=text) for text in ("Why so?", "That's true.", "Music is free here.")]
        >>> [line.text for line in statements(lines)]
        ['Music is free here.']
    """
    telling = [
        line
        for line in passages
        if len(words(line.text)) >= FEWEST_WORDS and not line.text.rstrip().endswith(("?", ","))
    ]
    return telling or passages


def headline(text: str) -> str:
    """The beginning of *text* as a title of at most eight words.

    Example:
        >>> headline("It only takes a minute, and it's totally free to everybody.")
        "It only takes a minute, and it's totally…"
    """
    plain = " ".join(text.split())
    shown = plain.split(" ")[:TITLE_WORDS]
    cut = len(words(plain)) > TITLE_WORDS
    return " ".join(shown).rstrip(".,;:") + ("…" if cut else "")
