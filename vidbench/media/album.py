"""The pictures that a pass keeps for people and models: poster, thumbnails and samples."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from vidbench.media.artifacts import write_all
from vidbench.media.pictures import Pictures, SeenFrame, jpeg
from vidbench.media.plan import ScanPlan
from vidbench.media.samples import GRID, LOOK_SECONDS, SampleChooser, crossed

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vidbench.contract.work import ArtifactNote, Row

Kind = Literal["poster", "thumbnail", "sample"]


class Album:
    """Looks at every frame of a pass and keeps some as JPEG files with their rows.

    A thumbnail is the first frame at or after each multiple of ``thumbnail_seconds``. The poster is
    that frame of the first chunk's thumbnails whose brightness varies most (largest variance), which
    passes over black, white and faded frames. Samples are chosen by
    :class:`~vidbench.media.samples.SampleChooser`.

    Args:
        folder: where files are written.
        plan: sizes and distances.
        pictures: makes pictures of frames.
        state: what :meth:`state` gave at the end of an earlier chunk; empty at the start.
    """

    def __init__(self, folder: Path, plan: ScanPlan, pictures: Pictures, state: dict[str, Any]) -> None:
        self._folder, self._plan, self._pictures = folder, plan, pictures
        self._chooser = SampleChooser(plan.sample_seconds)
        self._chooser.restore(state.get("sample", {}))
        self._ordinal: int = state.get("ordinal", 0)
        self._has_poster = bool(state)
        self._best: tuple[float, SeenFrame] | None = None
        self._waiting: tuple[SeenFrame, NDArray[np.uint8]] | None = None
        self._rows: list[Row] = []
        self._files: list[tuple[str, str, bytes]] = []

    def see(self, frame: SeenFrame, before: float | None) -> None:
        """Keep *frame* where it is due; *before* is the time of the frame before it."""
        if crossed(self._plan.thumbnail_seconds, before, frame.time):
            picture = self._keep(frame, "thumbnail", self._plan.thumbnail_width)
            self._consider(frame, picture)
        if crossed(min(LOOK_SECONDS, self._plan.sample_seconds), before, frame.time):
            grey = self._pictures.grey(frame.frame, GRID)
            chosen = self._chooser.keeps(frame.time, grey)
            self._waiting = None if chosen else (frame, grey)
            if chosen:
                self._keep(frame, "sample", self._plan.sample_width)

    def flush(self, *, ended: bool) -> tuple[list[Row], list[ArtifactNote]]:
        """Rows and files since the last flush; the first one brings the poster.

        Args:
            ended: no frame will follow, so the last look is kept if it shows something new.
        """
        if ended and self._waiting is not None and self._chooser.misses(self._waiting[1]):
            self._keep(self._waiting[0], "sample", self._plan.sample_width)
        self._waiting = None
        if self._best is not None and not self._has_poster:
            self._keep(self._best[1], "poster", self._plan.poster_width)
            self._has_poster, self._best = True, None
        rows, notes = self._rows, write_all(self._folder, self._files)
        self._rows, self._files = [], []
        return rows, notes

    def state(self) -> dict[str, Any]:
        """What a later pass needs to go on."""
        return {"ordinal": self._ordinal, "sample": self._chooser.state()}

    def _consider(self, frame: SeenFrame, picture: NDArray[np.uint8]) -> None:
        if self._has_poster:
            return
        variance = float(picture.mean(axis=2).var())
        if self._best is None or variance > self._best[0]:
            self._best = (variance, frame)

    def _keep(self, frame: SeenFrame, kind: Kind, max_width: int) -> NDArray[np.uint8]:
        picture = self._pictures.shown(frame.frame, max_width)
        content = jpeg(picture, quality=self._plan.jpeg_quality)
        name = f"{kind}s/{self._ordinal:06d}.jpg" if kind != "poster" else "poster.jpg"
        self._files.append((name, kind, content))
        height, width = picture.shape[:2]
        self._rows.append(
            {
                "ordinal": self._ordinal,
                "kind": kind,
                "time": frame.time,
                "path": name,
                "width": width,
                "height": height,
            }
        )
        self._ordinal += 1
        return picture
