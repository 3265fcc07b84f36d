"""Probing: what a media file is, before it is taken in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from vidbench.contract.validation import to_json
from vidbench.contract.work import Batch, Interrupt, Unit
from vidbench.media.fingerprint import fingerprint
from vidbench.media.probe import probe
from vidbench.operations.stages import Models


def run(unit: Unit, _models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Facts and fingerprint of the unit's media, as one result.

    Raises:
        MediaError: it holds no video or sound that can be read.
    """
    path = Path(unit.media)
    facts = probe(path)
    interrupt.check()
    yield Batch(result={"facts": to_json(facts), "fingerprint": fingerprint(path)}, progress=1.0)
