"""Deterministic fakes: real implementations of every Protocol whose answers follow from their input alone.

Options, for tests that need time or trouble: ``delay`` (seconds before each item) and ``abort_after`` (items after
which the process aborts, as a crashing library would).
"""

from __future__ import annotations

import json
import os
import re
import time
import zlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from vidbench.contract.chat import Usage
from vidbench.contract.describe import SceneText, SpeechLine, Word
from vidbench.contract.models import ModelSpec
from vidbench.contract.work import Interrupt

if TYPE_CHECKING:
    from vidbench.language.protocols import Completion

SAMPLE_RATE = 16_000
LINE_SECONDS = 4.0
SPOKEN_SECONDS = 3.5
WORDS = tuple(
    "amber birch cedar delta ember fjord grove heron inlet juniper kelp lagoon maple nettle orchid pine".split()  # noqa: SIM905 - a list to read
)
_LINE = re.compile(r"^(L\d+)\s+(?:\[[^\]]*\]\s+)?(.*)$", re.MULTILINE)


class Fake:
    """What all fakes share: a name, the options, and an end."""

    def __init__(self, spec: ModelSpec, threads: int) -> None:
        self.name = spec.name
        self.threads = threads
        self._delay = float(os.environ.get("VIDBENCH_FAKE_DELAY", spec.options.get("delay", 0.0)))
        self._abort_after = int(os.environ.get("VIDBENCH_FAKE_ABORT_AFTER", spec.options.get("abort_after", 0)))
        self._items = 0

    def close(self) -> None:
        """Nothing to let go."""

    def _pace(self, interrupt: Interrupt | None = None) -> None:
        self._items += 1
        if self._items == self._abort_after:
            os.abort()
        time.sleep(self._delay)
        if interrupt is not None:
            interrupt.check()


class FakeSpeech(Fake):
    """A line every four seconds; which words follows from its number alone."""

    def transcribe(
        self, audio: np.ndarray, *, language: str | None, start: float, interrupt: Interrupt
    ) -> Iterator[SpeechLine]:
        """Lines whose whole time lies in *audio*, which begins at *start* seconds."""
        end = start + len(audio) / SAMPLE_RATE
        number = int(-(-start // LINE_SECONDS))
        while number * LINE_SECONDS + SPOKEN_SECONDS <= end:
            self._pace(interrupt)
            yield spoken_line(number, language or "en")
            number += 1


def spoken_line(number: int, language: str = "en") -> SpeechLine:
    """Line *number* of the fake transcript.

    Example:
        >>> spoken_line(1).text
        'birch cedar delta ember fjord grove heron.'
    """
    words = [WORDS[(number + i) % len(WORDS)] for i in range(7)]
    begin = number * LINE_SECONDS
    return SpeechLine(
        text=" ".join(words) + ".",
        start_time=begin,
        end_time=begin + SPOKEN_SECONDS,
        language=language,
        confidence=0.9,
        words=tuple(
            Word(
                word=word + ("." if i == 6 else ""),
                start_time=begin + i * 0.5,
                end_time=begin + (i + 1) * 0.5,
                confidence=0.9,
            )
            for i, word in enumerate(words)
        ),
    )


class FakeSceneText(Fake):
    """Reads one word off each picture: which one follows from the picture's bytes."""

    def read(self, images: Iterable[Any]) -> Iterator[tuple[SceneText, ...]]:
        """One reading an image, in order."""
        for image in images:
            self._pace()
            data = image.tobytes() if isinstance(image, np.ndarray) else Path(image).read_bytes()
            word = WORDS[zlib.crc32(data) % len(WORDS)].upper()
            yield (SceneText(text=word, start_time=0.0, end_time=0.0, box=(0.25, 0.25, 0.75, 0.5)),)


class FakeEmbedding(Fake):
    """Bags of hashed words, 64 numbers long."""

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Vectors of length one, shape [n, 64]."""
        vectors = np.full((len(texts), 64), 1e-3, dtype=np.float32)
        for row, text in enumerate(texts):
            for word in re.findall(r"\w+", text.lower()):
                vectors[row, zlib.crc32(word.encode()) % 64] += 1.0
        normed: np.ndarray = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return normed


class FakeLanguage(Fake):
    """Fills any JSON Schema from the evidence lines in the prompt; says that it knows nothing of ``unknown``."""

    context = 8192

    def count(self, text: str) -> int:
        """Four letters make a token."""
        return len(text) // 4 + 1

    def complete(self, request: Completion, interrupt: Interrupt) -> Generator[str, None, Usage]:
        """The filled schema as JSON, a few letters at a time."""
        prompt = "\n".join(message.content for message in request.messages)
        question = request.messages[-1].content
        text = json.dumps(_fill(request.schema, dict(_LINE.findall(prompt)), question))
        for begin in range(0, len(text), 12):
            self._pace(interrupt)
            yield text[begin : begin + 12]
        read, wrote = self.count(prompt), self.count(text)
        return Usage(prompt_tokens=read, completion_tokens=wrote, total_tokens=read + wrote)


def _fill(schema: dict[str, Any], lines: dict[str, str], question: str) -> Any:
    """The simplest value that *schema* allows and *lines* bear out."""
    for several in ("anyOf", "oneOf"):
        if several in schema:
            options = sorted(schema[several], key=lambda option: len(json.dumps(option)))
            return _fill(options[0 if "unknown" in question.lower() else -1], lines, question)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _best(schema["enum"], lines, question)
    match schema.get("type"):
        case "object":
            return {name: _fill(part, lines, question) for name, part in schema["properties"].items()}
        case "array":
            return [_fill(schema["items"], lines, question)] * max(1, int(schema.get("minItems", 1)))
        case "boolean":
            return "unknown" not in question.lower()
        case "integer" | "number":
            return schema.get("minimum", 0)
    best = _best(list(lines), lines, question) if lines else ""
    return lines.get(str(best), "Nothing is known")[: int(schema.get("maxLength", 80))]


def _best(choices: Sequence[Any], lines: dict[str, str], question: str) -> Any:
    wanted = set(re.findall(r"\w+", question.rsplit("\n", maxsplit=1)[-1].lower()))
    return max(
        choices,
        key=lambda one: len(wanted & set(re.findall(r"\w+", lines.get(str(one), "").lower()))),
    )
