"""The senses: one streaming method each, which every implementation of a role answers.

An implementation is made as ``Factory(spec, threads)``, which is cheap; it loads its files on first use and frees
them in ``close()``. What it hands out are the contract's own nouns, never a library's.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from vidbench.contract.describe import SceneText, SpeechLine
from vidbench.contract.work import Interrupt

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPEECH_RATE = 16_000
"""Hz of the sound that speech models are given."""


class SpeechModel(Protocol):
    """Turns sound into lines, in order, as they are found."""

    def transcribe(
        self,
        audio: NDArray[np.float32],
        *,
        language: str | None,
        start: float,
        interrupt: Interrupt,
    ) -> Iterator[SpeechLine]:
        """The lines spoken in *audio*.

        Args:
            audio: mono samples at 16 kHz, -1 to 1.
            language: ISO 639-1 code; None means that it is detected in this piece of sound.
            start: seconds of the first sample; every time handed out is *start* plus the time within *audio*.
            interrupt: looked at between two lines.

        Yields:
            Lines with words, ordered by start, inside the sound, each word inside its line and none before the
            word it follows.

        Raises:
            Interrupted: the work was cancelled.
        """
        ...

    def close(self) -> None:
        """Free the memory; the next use loads the model again."""
        ...


class SceneTextModel(Protocol):
    """Reads the text in pictures."""

    def read(self, images: Iterable[Path | NDArray[Any]]) -> Iterator[tuple[SceneText, ...]]:
        """The readings of each image, one tuple an image and in their order.

        Args:
            images: image files, or pictures as [height, width, 3] arrays of 8-bit blue, green, red.

        Yields:
            Readings from top to bottom; their times are 0, for a picture knows none, and their boxes are fractions
            of its width and height.
        """
        ...

    def close(self) -> None:
        """Free the memory; the next use loads the model again."""
        ...
