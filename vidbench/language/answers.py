"""Answers that cite: a model writes sentences about numbered lines, code decides which of them stand."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, field

from vidbench.contract.chat import NOT_IN_THESE_VIDEOS, Claim, Message, Usage
from vidbench.contract.work import Interrupt
from vidbench.language.calls import parsed, patient
from vidbench.language.evidence import PRIMARY, Evidence, Passage, fitting
from vidbench.language.grounding import Quote, invents, is_there, narrow, supporting, verify
from vidbench.language.prompts import prompt
from vidbench.language.protocols import Completion, LanguageModel
from vidbench.language.questions import about_the_whole, answers_in_kind, hopeless, retrieval_text
from vidbench.language.schemas import Schema, choice, either, record, several, text
from vidbench.language.stream import Sentence, SentenceStream
from vidbench.language.summaries import summarise_whole
from vidbench.language.words import content, words

MOST_LINES = 8
"""Lines offered. A model of half a billion parameters loses its way among more."""
NEAR_BEST = 0.6
"""A line is offered only where its cosine is at least this share of the best one's."""
SECOND_BEST = 0.8
"""With two lines this close to each other, an answer of at least two sentences is asked for."""
MOST_SENTENCES = 3
SENTENCE_LETTERS = 240
SENTENCE_TOKENS = 90
FEWEST_WORDS = 3
"""A sentence of fewer words is a fragment, no answer."""
QUOTABLE = 0.45
"""Cosine from which a line is quoted as it stands, where what the model wrote is no JSON."""
SAID_LETTERS = 400
"""How much of an earlier turn a follow-up question brings along."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What can be said with evidence.

    Attributes:
        answered: False where the passages do not answer the question.
        text: the sentences that stand, or that the answer is not there.
        claims: those sentences with their passages.
        quotes: claim index and quote, every passage of every claim.
        usage: tokens the model read and wrote; zero where it was not asked.
        unsupported: sentences the model wrote that nothing bears out; left out of the text.
        extractive: whether the text is quoted lines, because what the model wrote could not be read.
    """

    answered: bool
    text: str
    claims: tuple[Claim, ...] = ()
    quotes: tuple[tuple[int, Quote], ...] = ()
    usage: Usage = field(default_factory=Usage)
    unsupported: tuple[str, ...] = ()
    extractive: bool = False


def answer(
    model: LanguageModel,
    messages: Sequence[Message],
    passages: Sequence[Passage],
    interrupt: Interrupt,
    *,
    temperature: float = 0.0,
) -> Generator[str | None, None, Answer]:
    """Answer the last of *messages* from *passages* alone.

    Yields:
        Pieces that join to the answer's text, each sentence as soon as it was found to be supported; None where the
        call stood aside for another.
    """
    draft = Draft(retrieval_text(messages), messages[-1].content)
    usage = Usage()
    if about_the_whole(draft.sought):
        usage = yield from _summed_up(model, passages, draft, interrupt)
    elif not hopeless(draft.question, draft.sought, passages):
        evidence = offered(model, passages)
        request = _request(messages, evidence, temperature=temperature)
        usage = yield from _written(model, request, evidence, draft, interrupt)
    if not draft.claims:
        yield NOT_IN_THESE_VIDEOS
    return draft.answer(usage)


def offered(model: LanguageModel, passages: Sequence[Passage]) -> Evidence:
    """The lines a model is shown: spoken or seen, near the best one, best first, as many as fit.

    Small models look at the first lines most, so the best lines stand first.
    """
    primary = [passage for passage in passages if passage.kind in PRIMARY]
    floor = NEAR_BEST * max((passage.cosine for passage in primary), default=0.0)
    near = [passage for passage in primary if passage.cosine >= floor]
    near.sort(key=lambda passage: (-passage.cosine, -passage.score))
    kept = near[:MOST_LINES]
    while kept and model.count(Evidence(tuple(kept)).prompt()) > model.context // 2:
        kept.pop()
    return Evidence(tuple(kept))


class Draft:
    """An answer in the making: takes sentences, keeps those that stand."""

    def __init__(self, sought: str, question: str) -> None:
        self.sought = sought
        self.question = question
        self.claims: list[Claim] = []
        self.quotes: list[tuple[int, Quote]] = []
        self.unsupported: list[str] = []
        self.extractive = False
        self._read: set[frozenset[str]] = set()
        self._off = False

    def take(self, sentence: Sentence, evidence: Evidence) -> str:
        """The text to show for *sentence*: empty where it repeats one before it or does not stand."""
        said = " ".join(str(sentence.get("text", "")).split())
        gist = frozenset(content(said))
        if not gist or gist in self._read or len(words(said)) < FEWEST_WORDS or self._off:
            return ""
        self._read.add(gist)
        self._off = not self.claims and self._is_off(said, evidence)
        cited = self._cited(said, str(sentence.get("evidence", "")), evidence)
        quotes = [narrow(said, passage) for passage in cited]
        checked = all(is_there(quote, one) for quote, one in zip(quotes, cited, strict=True))
        if self._off or not cited or not checked:
            self.unsupported.append(said)
            return ""
        support = verify(said, cited, asked=self.sought)
        ids = tuple(passage.passage_id for passage in cited)
        self.quotes += [(len(self.claims), quote) for quote in quotes]
        self.claims.append(Claim(text=said, evidence=ids, supported=True, support=support))
        return said if len(self.claims) == 1 else f" {said}"

    def quote(self, evidence: Evidence) -> Iterator[str]:
        """Quote the lines most like the question, where what the model wrote cannot be read."""
        likeness = [passage.cosine for passage in evidence.passages]
        floor = max(QUOTABLE, SECOND_BEST * max(likeness, default=0.0))
        for line, passage in zip(evidence.ids, evidence.passages, strict=True):
            if passage.cosine >= floor and len(self.claims) < MOST_SENTENCES - 1:
                yield self.take({"text": passage.text, "evidence": line}, evidence)
        self.extractive = bool(self.claims)

    def answer(self, usage: Usage) -> Answer:
        """The answer as it stands."""
        return Answer(
            answered=bool(self.claims),
            text=" ".join(claim.text for claim in self.claims) or NOT_IN_THESE_VIDEOS,
            claims=tuple(self.claims),
            quotes=tuple(self.quotes),
            usage=usage,
            unsupported=tuple(self.unsupported),
            extractive=self.extractive,
        )

    def _is_off(self, said: str, evidence: Evidence) -> bool:
        """Whether an opening sentence shows that the lines have no answer: what follows it is filling.

        It invents a number or a name, or names no quantity where one was asked for.
        """
        invented = invents(said, evidence.passages, asked=self.sought)
        return invented or not answers_in_kind(self.question, said)

    def _cited(self, said: str, chosen: str, evidence: Evidence) -> tuple[Passage, ...]:
        """The passages that carry the sentence; the model's own choice first among equals."""
        first = [evidence[chosen]] if chosen in evidence.ids else []
        rest = [passage for passage in evidence.passages if passage not in first]
        return supporting(said, [*first, *rest], asked=self.sought)


def answer_schema(evidence: Evidence, *, least: int = 1) -> Schema:
    """Either not answerable, or sentences that each choose one of the lines.

    The sentence comes before its line: small models copy a line well and then know which it was, while a line
    chosen first is mostly just the next number.
    """
    sentence = record(text=text(SENTENCE_LETTERS), evidence=choice(evidence.ids))
    most = max(least, min(MOST_SENTENCES, len(evidence.passages)))
    return either(
        record(answerable={"const": "no"}),
        record(answerable={"const": "yes"}, sentences=several(sentence, least=least, most=most)),
    )


def _written(
    model: LanguageModel,
    request: Completion,
    evidence: Evidence,
    draft: Draft,
    interrupt: Interrupt,
) -> Generator[str | None, None, Usage]:
    """Let the model write, and give out each sentence that stands."""
    stream = SentenceStream()
    pieces = patient(model, request, interrupt)
    while True:
        try:
            piece = next(pieces)
        except StopIteration as end:
            usage: Usage = end.value
            break
        if piece is None:  # the same text comes again from its beginning: the draft knows what it has taken
            stream = SentenceStream()
            yield None
        else:
            taken = (draft.take(sentence, evidence) for sentence in stream.feed(piece))
            yield from filter(None, taken)
    if not draft.claims and parsed(stream.text) is None:
        yield from filter(None, draft.quote(evidence))
    return usage


def _summed_up(
    model: LanguageModel, passages: Sequence[Passage], draft: Draft, interrupt: Interrupt
) -> Generator[str | None, None, Usage]:
    """Answer a question about the video as such: sum up the lines that were found, in order of time."""
    primary = [passage for passage in passages if passage.kind in PRIMARY]
    primary.sort(key=lambda passage: (passage.file_id, passage.start_time))
    lines = fitting(primary, tokens=model.context // 3, count=model.count)
    if not lines:
        return Usage()
    written = yield from summarise_whole(model, lines, interrupt)
    evidence = Evidence(lines)
    for claim in written.claims:
        yield draft.take({"text": claim.text}, evidence)
    return written.usage


def _request(messages: Sequence[Message], evidence: Evidence, *, temperature: float) -> Completion:
    cosines = [passage.cosine for passage in evidence.passages[:2]]
    least = 2 if len(cosines) > 1 and cosines[1] >= SECOND_BEST * cosines[0] else 1
    parts = (
        evidence.prompt(),
        _said(messages),
        f"Question: {messages[-1].content}",
    )
    return Completion(
        messages=(
            Message(role="system", content=prompt("answer")),
            Message(content="\n\n".join(filter(None, parts))),
        ),
        schema=answer_schema(evidence, least=least),
        max_tokens=SENTENCE_TOKENS * MOST_SENTENCES,
        temperature=temperature,
    )


def _said(messages: Sequence[Message]) -> str:
    """The turn before the last question, where the question needs it."""
    question = messages[-1].content.strip()
    before = retrieval_text(messages).removesuffix(question).strip()
    return f"Said before: {before[:SAID_LETTERS]}" if before else ""
