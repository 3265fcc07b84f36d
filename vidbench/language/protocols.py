"""What a language model and an embedding model must be able to do."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from vidbench.contract.chat import Message, Usage
from vidbench.contract.work import Interrupt
from vidbench.errors import Interrupted

if TYPE_CHECKING:
    import numpy as np


class Preempted(Interrupted):
    """A call stood aside for an interactive request; the same call can be made again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """One call of a language model.

    Attributes:
        messages: the conversation; the first message is the fixed prefix of its purpose.
        schema: JSON Schema of the answer, in the subset objects, arrays, strings, ``enum``, ``const``
            and ``anyOf``; properties are written in the order given.
        max_tokens: where the answer is cut at the latest.
        temperature: 0 takes the likeliest token each time; up to 2.
        seed: makes a temperature above 0 repeatable.
    """

    messages: tuple[Message, ...]
    schema: dict[str, Any]
    max_tokens: int
    temperature: float = 0.0
    seed: int = 0


class LanguageModel(Protocol):
    """A model that writes JSON of a given schema."""

    @property
    def name(self) -> str:
        """The model's name in the catalogue."""
        ...

    @property
    def context(self) -> int:
        """Tokens that prompt and answer may have together."""
        ...

    def complete(self, request: Completion, interrupt: Interrupt) -> Generator[str, None, Usage]:
        """Write the answer to *request* piece by piece, and return the tokens it took.

        The same request always gives the same text, whatever was asked before.

        Raises:
            Interrupted: the work was cancelled; the model stays loaded.
            Preempted: an interactive request waits, or another call took the model in between.
            InvalidInput: the prompt and the answer do not fit into the context.
        """
        ...

    def count(self, text: str) -> int:
        """How many tokens *text* has."""
        ...

    def close(self) -> None:
        """Free the memory; the next call loads the model again."""
        ...


class EmbeddingModel(Protocol):
    """A model that turns texts into vectors whose inner product is their likeness."""

    @property
    def name(self) -> str:
        """The model's name in the catalogue."""
        ...

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One float32 row of length 1 (L2) a text, shape (texts, dimensions)."""
        ...

    def close(self) -> None:
        """Free the memory; the next call loads the model again."""
        ...
