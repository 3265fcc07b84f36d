"""The chat stages: the vector of a question, and an answer from the passages that the search found."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from vidbench.contract.chat import ChatConfig
from vidbench.contract.validation import parse, to_json
from vidbench.contract.work import Batch, Interrupt, Unit
from vidbench.errors import InvalidInput
from vidbench.language.answers import Answer, answer
from vidbench.language.evidence import Passage
from vidbench.language.questions import retrieval_text
from vidbench.operations.stages import Models

__all__ = ["embed", "retrieval_text", "run"]


def embed(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """The vector of a text; config ``{"text": ...}``, result ``{"vector": [...]}``."""
    interrupt.check()
    vector = models.get("embedding").embed([unit.config["text"]])[0]
    yield Batch(progress=1.0, result={"vector": [float(number) for number in vector]})


def run(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Answer the last message from the passages, sentence by sentence.

    Config: a ``ChatConfig``. Inputs: ``passages`` as ``Passage.of`` reads them. Tokens join to the answer's text; only
    sentences that were found to be supported are given out. The last batch's result holds ``answered``, ``text``,
    ``claims``, ``quotes``, ``usage``, ``unsupported`` and ``extractive``.

    Raises:
        InvalidInput: there is no message, or the last one is not the user's.
    """
    config = parse(ChatConfig, unit.config)
    if config.messages[-1].role != "user":
        raise InvalidInput("The last message is not a question", hint="End with a user message.", field="messages")
    passages = [Passage.of(row) for row in unit.inputs["passages"]]
    pieces = answer(models.get("language"), config.messages, passages, interrupt, temperature=config.temperature)
    while True:
        interrupt.check()
        try:
            piece = next(pieces)
        except StopIteration as end:
            yield Batch(progress=1.0, result=as_result(end.value))
            return
        yield Batch(token=piece or "")


def as_result(said: Answer) -> dict[str, Any]:
    """An answer as plain data."""
    return {
        "answered": said.answered,
        "text": said.text,
        "claims": [to_json(claim) for claim in said.claims],
        "quotes": [{"claim": claim, **to_json(quote)} for claim, quote in said.quotes],
        "usage": to_json(said.usage),
        "unsupported": list(said.unsupported),
        "extractive": said.extractive,
    }
