"""Frames and scans for the tests of what is seen."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from vidbench.contract.validation import to_json
from vidbench.contract.work import Unit
from vidbench.media.probe import probe
from vidbench.operations import scan


@dataclass
class Still:
    """A frame of the tests' own."""

    time: float
    picture: np.ndarray

    @property
    def width(self) -> int:
        return self.picture.shape[1]

    @property
    def height(self) -> int:
        return self.picture.shape[0]

    def bgr(self, width: int) -> np.ndarray:
        assert width == self.width
        return self.picture


class Calm:
    """An interrupt that never comes."""

    cancelled = preempted = False

    def check(self) -> None:
        """Go on."""


def noise(count: int, *, width: int = 320, height: int = 180, seed: int = 1) -> list[Still]:
    """Frames of coloured noise, 25 a second."""
    random = np.random.default_rng(seed)
    return [Still(number / 25, random.integers(0, 256, (height, width, 3), dtype=np.uint8)) for number in range(count)]


def scanned(path: Path, folder: Path) -> tuple[dict, list[str]]:
    """Facts of *path* as JSON, and the paths of its score curve."""
    facts = to_json(probe(path))
    unit = Unit(stage="scan", run_id="run", media=str(path), facts=facts, folder=str(folder))
    notes = [note for batch in scan.run(unit, None, Calm()) for note in batch.artifacts]
    return facts, [str(folder / note.path) for note in notes if note.kind == "curve"]
