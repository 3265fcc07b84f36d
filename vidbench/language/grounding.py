"""Checking what a model wrote against what was said, and narrowing it to the words that carry it.

Everything here is arithmetic on words: no model judges a model.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidbench.contract.describe import Word
from vidbench.language.evidence import Passage
from vidbench.language.words import content, knows, names, numbers, stem

ENOUGH = 0.6
"""Share of a sentence's content words that its evidence must have for the sentence to count as supported."""
MORE = 0.2
"""A further passage is cited only where it carries at least this share of the sentence that no other one does."""
MOST_CITED = 3
_CLAUSE_ENDS = ",;:.?!…—"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """Words of a passage, letter for letter, and when they are said or seen (seconds, half-open)."""

    passage_id: str
    text: str
    start_time: float
    end_time: float


def verify(claim: str, passages: Sequence[Passage], *, asked: str = "") -> float:
    """How far *passages* carry *claim*, 0 to 1.

    The measure is the share of the claim's content stems that occur in the passages. A number in digits or a name
    that neither the passages nor the question have makes it 0: these are what small models invent. Stems
    that only the question has count half, since repeating the question proves nothing.

    Args:
        claim: one sentence.
        passages: what it is said to rest on, together.
        asked: the question, where the sentence answers one.

    Example:
        >>> line = Passage(passage_id="p", text="It only takes a minute, and it's totally free.")
        >>> verify("It takes a minute.", [line]), verify("It takes 5 minutes.", [line])
        (1.0, 0.0)
    """
    if invents(claim, passages, asked=asked):
        return 0.0
    text = " ".join(passage.text for passage in passages)
    return _share(content(claim), set(content(text)), set(content(asked)))


def invents(claim: str, passages: Sequence[Passage], *, asked: str = "") -> bool:
    """Whether *claim* has a number in digits or a name that is neither in *passages* nor in the question.

    Example:
        >>> invents("It began in 2004.", [Passage(passage_id="p", text="It began.")])
        True
    """
    known = " ".join([*(passage.text for passage in passages), asked])
    strangers = any(not knows(name, known) for name in names(claim))
    return strangers or not numbers(claim) <= numbers(known)


def _share(claimed: list[str], carried: set[str], asked: set[str]) -> float:
    hits = sum(word in carried for word in claimed)
    echoes = sum(word in asked and word not in carried for word in claimed)
    weight = len(claimed) - 0.5 * echoes
    return round(hits / weight, 3) if weight else 0.0


def supporting(claim: str, passages: Sequence[Passage], *, asked: str = "") -> tuple[Passage, ...]:
    """The fewest of *passages* that carry *claim*, best first; earlier ones win where they are equal.

    The first is the one that carries most; each further one adds at least a fifth of the sentence's content, not
    counting what the question says itself.
    """
    wanted, given = content(claim), set(content(asked))
    missing = set(wanted)
    chosen: list[Passage] = []
    for _ in range(MOST_CITED):
        best = max(passages, key=lambda one: len(missing & set(content(one.text))), default=None)
        gained = missing & set(content(best.text)) if best else set()
        if best is None or not gained or (chosen and len(gained - given) < MORE * len(wanted)):
            break
        chosen.append(best)
        missing -= gained
    return tuple(chosen) if verify(claim, chosen, asked=asked) >= ENOUGH else ()


def narrow(claim: str, passage: Passage) -> Quote:
    """The shortest run of whole clauses of *passage* that has every word of *claim* that the passage has.

    Times are those of the first and last word. A passage without word times (text in the picture) is quoted whole.

    Example:
        >>> seen = Passage(passage_id="p", text="ACCESS DENIED", start_time=1.0, end_time=2.0)
        >>> narrow("Access is denied.", seen).text
        'ACCESS DENIED'
    """
    places = _places(passage.text, passage.words)
    if not places:
        return _whole(passage)
    stems = [stem(word.word.strip(" \t\n.,;:!?\"'…—()")) for word in passage.words]
    first, last = _tightest(stems, set(content(claim)))
    first, last = _to_clauses(passage.words, first, last)
    return Quote(
        passage_id=passage.passage_id,
        text=passage.text[places[first][0] : places[last][1]],
        start_time=_within(passage, passage.words[first].start_time),
        end_time=_within(passage, passage.words[last].end_time),
    )


def is_there(quote: Quote, passage: Passage) -> bool:
    """Whether *quote* stands in *passage* letter for letter and at that time."""
    inside = passage.start_time <= quote.start_time <= quote.end_time <= passage.end_time
    return bool(quote.text) and quote.text in passage.text and inside


def _within(passage: Passage, seconds: float) -> float:
    """*seconds* brought into the passage: a line's own times are rounded apart from its words'."""
    return min(max(seconds, passage.start_time), passage.end_time)


def _whole(passage: Passage) -> Quote:
    return Quote(
        passage_id=passage.passage_id,
        text=passage.text,
        start_time=passage.start_time,
        end_time=passage.end_time,
    )


def _places(text: str, spoken: Sequence[Word]) -> list[tuple[int, int]]:
    """Where each word stands in *text*; empty where the words are not those of the text."""
    found: list[tuple[int, int]] = []
    cursor = 0
    for word in spoken:
        bare = word.word.strip()
        start = text.find(bare, cursor)
        if start < 0:
            return []
        cursor = start + len(bare)
        found.append((start, cursor))
    return found


def _tightest(stems: Sequence[str], wanted: set[str]) -> tuple[int, int]:
    """First and last index of the shortest window that holds every wanted stem there is; the earliest of equals."""
    needed = wanted & set(stems)
    best = (0, len(stems) - 1)
    last_seen: dict[str, int] = {}
    for index, one in enumerate(stems):
        if one in needed:
            last_seen[one] = index
            first = min(last_seen.values())
            if len(last_seen) == len(needed) and index - first < best[1] - best[0]:
                best = (first, index)
    return best


def _to_clauses(spoken: Sequence[Word], first: int, last: int) -> tuple[int, int]:
    while first > 0 and spoken[first - 1].word.strip()[-1:] not in _CLAUSE_ENDS:
        first -= 1
    while last < len(spoken) - 1 and spoken[last].word.strip()[-1:] not in _CLAUSE_ENDS:
        last += 1
    return first, last
