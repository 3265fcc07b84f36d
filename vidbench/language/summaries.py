"""Titles and summaries, each sentence checked against the lines it was made from."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal, TypeVar

from vidbench.contract.chat import Claim, Message, Usage
from vidbench.contract.work import Interrupt
from vidbench.language.calls import structured
from vidbench.language.evidence import SEEN, Evidence, Passage
from vidbench.language.extracts import FEWEST_WORDS, central, headline, statements
from vidbench.language.grounding import supporting, verify
from vidbench.language.prompts import prompt
from vidbench.language.protocols import Completion, LanguageModel
from vidbench.language.schemas import Schema, choice, record, text
from vidbench.language.words import content, sentences, tidy, words

Quality = Literal["model", "repaired", "mixed", "extractive", "empty"]
Line = TypeVar("Line")
PARTS = ("first", "second", "third", "fourth")
LINES_A_PART = 2
SUMMARY_LETTERS = 320
SENTENCE_LETTERS = 220
TITLE_LETTERS = 70
SEGMENT_ANSWER_TOKENS = 140
FILE_ANSWER_TOKENS = 420
FEW_WORDS = 8
"""Text in the picture of at most so many words is reported as it stands: there is nothing to sum up."""
TITLE_SUPPORT = 0.5
"""Share of a title's content words that must occur in the lines."""
NO_SPEECH = "No speech"


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A title and a summary.

    Attributes:
        title: short.
        summary: the sentences that stand, joined.
        claims: those sentences with the ids of the passages that carry them.
        quality: ``model``; ``repaired`` where its first answer was unusable; ``mixed`` where quoted lines stand in for
            some of what it wrote, ``extractive`` where they stand in for all; ``empty`` where there was nothing
            to write about.
        usage: tokens read and written.
    """

    title: str
    summary: str
    claims: tuple[Claim, ...] = ()
    quality: Quality = "model"
    usage: Usage = field(default_factory=Usage)


def summarise_segment(
    model: LanguageModel, lines: Sequence[Passage], interrupt: Interrupt
) -> Generator[None, None, Written]:
    """Title and summary of one part of a video; without speech and text no model is asked.

    Args:
        model: writes.
        lines: what is said and seen in it, in order of time, as many as the model's context holds.
        interrupt: stops the call.

    Yields:
        None each time the call stood aside for another.
    """
    if plain := without_model(lines):
        return plain
    schema = record(summary=text(SUMMARY_LETTERS), title=text(TITLE_LETTERS))
    request = _request("segment_summary", lines, schema, SEGMENT_ANSWER_TOKENS)
    reply = yield from structured(model, request, interrupt)
    data = reply.data or {}
    said = sentences(tidy(str(data.get("summary", ""))))
    quality: Quality = "repaired" if reply.repaired else "model"
    return _checked(said, str(data.get("title", "")), lines, quality=quality, usage=reply.usage)


def summarise_whole(
    model: LanguageModel, lines: Sequence[Passage], interrupt: Interrupt
) -> Generator[None, None, Written]:
    """Title and summary of a video, or of a stretch of its segments' summaries.

    Small models retell the beginning and stop. The grammar therefore asks for one sentence from each part, and
    offers there only the ids of that part.

    Yields:
        None each time the call stood aside for another.
    """
    if plain := without_model(lines):
        return plain
    parts = shared_out(lines)
    schema = parts_schema(Evidence(tuple(lines)).ids)
    request = _request("file_summary", lines, schema, FILE_ANSWER_TOKENS)
    reply = yield from structured(model, request, interrupt)
    data = reply.data or {}
    said = [tidy(str(data[part]["text"])) for part in PARTS if part in data]
    quality: Quality = "repaired" if reply.repaired else "model"
    title = str(data.get("title", ""))
    return _checked(said, title, lines, parts=parts, quality=quality, usage=reply.usage)


def without_model(lines: Sequence[Passage]) -> Written | None:
    """What code can say of a part with nothing, or next to nothing, in it; None where a model is needed.

    Example:
        >>> without_model([]).title
        'No speech'
    """
    if not lines:
        nothing = "Nothing is said and no text is seen."
        return Written(title=NO_SPEECH, summary=nothing, quality="empty")
    seen = " · ".join(dict.fromkeys(line.text.strip() for line in lines))
    if all(line.kind == SEEN for line in lines) and len(seen.split()) <= FEW_WORDS:
        said = f'Nothing is said. The picture shows the text "{seen}".'
        claim = Claim(text=said, evidence=tuple(line.passage_id for line in lines))
        return Written(title=f"On screen: {seen}", summary=said, claims=(claim,), quality="extractive")
    return None


def shared_out(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """*lines* in up to four consecutive parts of about the same length, of two lines at least where there are two.

    Example:
        >>> shared_out(["L1", "L2", "L3"])
        [['L1'], ['L2', 'L3']]
    """
    number = max(1, min(len(PARTS), -(-len(lines) // LINES_A_PART)))
    bounds = [len(lines) * part // number for part in range(number + 1)]
    return [lines[start:end] for start, end in pairwise(bounds)]


def parts_schema(ids: Sequence[str]) -> Schema:
    """One sentence from each of up to four parts, then a title; each part may cite its own lines only.

    Example:
        >>> parts_schema(["L1", "L2", "L3"])["properties"]["second"]["properties"]["evidence"]
        {'enum': ['L2', 'L3']}
    """
    parts = {
        name: record(evidence=choice(part), text=text(SENTENCE_LETTERS))
        for name, part in zip(PARTS, shared_out(ids), strict=False)
    }
    return record(**parts, title=text(TITLE_LETTERS))


def _request(name: str, lines: Sequence[Passage], schema: Schema, tokens: int) -> Completion:
    asked = Message(content=Evidence(tuple(lines)).prompt())
    return Completion(
        messages=(Message(role="system", content=prompt(name)), asked),
        schema=schema,
        max_tokens=tokens,
    )


def _checked(
    said: Sequence[str],
    title: str,
    lines: Sequence[Passage],
    *,
    parts: Sequence[Sequence[Passage]] = (),
    quality: Quality,
    usage: Usage,
) -> Written:
    """The sentences that stand, in order of time; a part that none of them is about is quoted."""
    claims = _standing(said, lines)
    quoted = _filling(claims, parts or [lines])
    title = whole_words(" ".join(title.split())).strip(" .,\"'")
    if verify(title.lower(), lines) < TITLE_SUPPORT:
        title = headline((claims or quoted)[0].text)
        quality = "mixed"
    if quoted:
        quality = "mixed" if claims else "extractive"
    claims = _in_order([*claims, *quoted], lines)
    summary = " ".join(claim.text for claim in claims)
    return Written(title=title, summary=summary, claims=tuple(claims), quality=quality, usage=usage)


def whole_words(title: str) -> str:
    """*title* without the word in the middle of which the grammar ended it.

    Example:
        >>> whole_words("The John D. and Catherine T. MacArthur Foundation and the Open Society Ins")
        'The John D. and Catherine T. MacArthur Foundation and the Open Society'
    """
    return title if len(title) < TITLE_LETTERS else title.rpartition(" ")[0]


def _filling(claims: Sequence[Claim], parts: Sequence[Sequence[Passage]]) -> list[Claim]:
    """The most telling line of each part that no claim cites; of a single part two."""
    cited = {line for claim in claims for line in claim.evidence}
    missed = [part for part in parts if not cited & {line.passage_id for line in part}]
    number = 2 if len(parts) == 1 else 1
    wanted = max(0, len(parts) - len(claims))
    chosen = [central(_worth_quoting(part), number) for part in missed[:wanted]]
    return [_quoted(line) for lines in chosen for line in lines]


def _worth_quoting(part: Sequence[Passage]) -> Sequence[Passage]:
    return statements([line for line in part if line.kind != SEEN] or part)


def _in_order(claims: Sequence[Claim], lines: Sequence[Passage]) -> list[Claim]:
    order = {line.passage_id: index for index, line in enumerate(lines)}
    return sorted(claims, key=lambda claim: order[claim.evidence[0]])


def _standing(said: Sequence[str], lines: Sequence[Passage]) -> list[Claim]:
    claims: dict[frozenset[str], Claim] = {}
    for sentence in said:
        carriers = supporting(sentence, lines) if len(words(sentence)) >= FEWEST_WORDS else ()
        if carriers:
            ids = tuple(line.passage_id for line in carriers)
            claim = Claim(text=sentence, evidence=ids, support=verify(sentence, carriers))
            claims.setdefault(frozenset(content(sentence)), claim)
    return _in_order(list(claims.values()), lines)


def _quoted(line: Passage) -> Claim:
    return Claim(text=" ".join(line.text.split()), evidence=(line.passage_id,))
