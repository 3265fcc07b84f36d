"""Scanning: the one pass over the media, which also scores every frame for the shots."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vidbench.contract.media import MediaFacts
from vidbench.contract.validation import parse
from vidbench.contract.work import Batch, Interrupt, Unit
from vidbench.media.plan import ScanPlan
from vidbench.media.scan import scan
from vidbench.operations.stages import Models
from vidbench.perception.curve import ScoreObserver


def run(unit: Unit, _models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Decode the unit's media once: thumbnails, samples, time stamps, score curve and sound, a Batch a chunk.

    Raises:
        Interrupted: the work was cancelled.
        MediaError: the file no longer is what was probed.
        StoreError: a file could not be written.
    """
    yield from scan(
        Path(unit.media),
        parse(MediaFacts, unit.facts, strict_fields=False),
        ScanPlan(),
        folder=Path(unit.folder),
        observers=[ScoreObserver()],
        position=unit.position,
        threads=unit.threads,
        interrupt=interrupt,
    )
