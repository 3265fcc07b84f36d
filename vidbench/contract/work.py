"""Work units: what a worker is asked, and what it answers, as plain data.

A unit is pure: media, config and models in, rows and files out. Nothing in it knows the owner.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from vidbench.contract.models import ModelSpec

WorkerKind = Literal["media", "perception", "language"]
Row = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One stage of work on one subject.

    Attributes:
        stage: which function of ``operations`` runs.
        run_id: names the rows and files that come of it.
        media: path of the media file, empty where none is read.
        facts: the probe's answer as JSON.
        config: the stage's own config as JSON.
        models: role -> model to use.
        inputs: rows, artifact paths and values of earlier stages.
        folder: where files of this run are written.
        position: the checkpoint to go on from; empty at the start.
        threads: how many cores it may use.
    """

    stage: str
    run_id: str
    media: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    config: dict[str, Any] = field(default_factory=dict)
    models: dict[str, ModelSpec] = field(default_factory=dict)
    inputs: dict[str, Any] = field(default_factory=dict)
    folder: str = ""
    position: dict[str, Any] = field(default_factory=dict)
    threads: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class ArtifactNote:
    """A file that a stage wrote, synced and renamed into place.

    Attributes:
        kind: curve, times, audio, poster, thumbnail, sample, vectors ...
        path: relative to the unit's folder.
        bytes: size.
        sha256: of the content.
    """

    kind: str
    path: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What a stage yields: the smallest thing that can be committed.

    Attributes:
        rows: table -> rows; each row carries its ``ordinal`` within (run, table), from which its id is made.
        artifacts: files written since the last batch.
        position: where to go on after this batch; kept as the checkpoint.
        progress: 0 to 1.
        token: a piece of text for whoever is listening; never stored.
        result: what the stage has to say as a whole; the last batch's counts.
    """

    rows: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    artifacts: Sequence[ArtifactNote] = ()
    position: dict[str, Any] = field(default_factory=dict)
    progress: float = 0.0
    token: str = ""
    result: dict[str, Any] = field(default_factory=dict)


class Interrupt(Protocol):
    """How work in progress learns that it should stop."""

    @property
    def cancelled(self) -> bool:
        """Nobody wants the answer any more."""
        ...

    @property
    def preempted(self) -> bool:
        """An interactive request waits; do this call again afterwards."""
        ...

    def check(self) -> None:
        """Raise ``Interrupted`` if the work was cancelled."""
        ...
