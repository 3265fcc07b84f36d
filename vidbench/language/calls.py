"""Calling a language model from a stage: calls that stand aside, answers that are checked and asked for again."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import dataclass, replace
from typing import Any

from vidbench.contract.chat import Usage
from vidbench.contract.work import Interrupt
from vidbench.language.protocols import Completion, LanguageModel, Preempted

REPAIR_TEMPERATURE = 0.4
"""At temperature 0 the same request would give the same unusable text."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a model answered.

    Attributes:
        data: the parsed JSON; None where it was unusable twice.
        usage: tokens of all tries.
        repaired: whether the second try gave it.
    """

    data: dict[str, Any] | None
    usage: Usage
    repaired: bool = False


def patient(model: LanguageModel, request: Completion, interrupt: Interrupt) -> Generator[str | None, None, Usage]:
    """The pieces of a completion that starts again whenever it had to stand aside.

    Yields:
        Pieces of text; None where the call stood aside: what came before it is void, and the next step
        makes the same call again.
    """
    while True:
        try:
            return (yield from model.complete(request, interrupt))
        except Preempted:
            yield None


def structured(model: LanguageModel, request: Completion, interrupt: Interrupt) -> Generator[None, None, Reply]:
    """The parsed answer to *request*; a text that is cut off or no JSON is asked for once more.

    Yields:
        None each time the call stood aside.
    """
    usage = Usage()
    retry = replace(request, temperature=REPAIR_TEMPERATURE, seed=request.seed + 1)
    for attempt in (request, retry):
        text, used = yield from _whole(model, attempt, interrupt)
        usage += used
        data = parsed(text)
        if data is not None:
            return Reply(data=data, usage=usage, repaired=attempt is retry)
    return Reply(data=None, usage=usage)


def parsed(text: str) -> dict[str, Any] | None:
    """*text* as a JSON object, None where it is none.

    Example:
        >>> parsed('{"title": "A"}'), parsed('{"title": "A')
        ({'title': 'A'}, None)
    """
    try:
        data = json.loads(text)
    except ValueError:
        return None
    return data if isinstance(data, dict) else None


def _whole(model: LanguageModel, request: Completion, interrupt: Interrupt) -> Generator[None, None, tuple[str, Usage]]:
    pieces: list[str] = []
    stream = patient(model, request, interrupt)
    while True:
        try:
            piece = next(stream)
        except StopIteration as end:
            return "".join(pieces), end.value
        if piece is None:
            pieces.clear()
            yield None
        else:
            pieces.append(piece)
