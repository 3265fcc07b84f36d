"""The one decode pass (law 4): every frame is decoded once, and whoever needs it is shown it.

The pass yields a Batch a chunk of about a minute: rows of ``thumbnails`` (poster, thumbnails, samples),
the time stamps of all frames, and what the observers wrote. The last Batch brings the sound. A chunk
needs only the frame before it, so a pass that was stopped goes on from its last Batch and writes the
same bytes as one that was not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vidbench.contract.work import ArtifactNote, Batch, Interrupt
from vidbench.media.album import Album
from vidbench.media.artifacts import write_artifact
from vidbench.media.audio import AudioTrack
from vidbench.media.clock import clock_of
from vidbench.media.decoding import Decoding
from vidbench.media.pictures import SeenFrame, pictures_of
from vidbench.media.plan import ScanPlan
from vidbench.media.samples import crossed

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

    from vidbench.contract.media import MediaFacts


__all__ = ["Observer", "ScanPlan", "SeenFrame", "scan"]


class Observer(Protocol):
    """Somebody who is shown every frame of a pass and writes a file a chunk."""

    def prime(self, frame: SeenFrame) -> None:
        """Take *frame* as the one before the next; it has been seen by an earlier pass."""
        ...

    def see(self, frame: SeenFrame) -> None:
        """Look at the next frame."""
        ...

    def flush(self, folder: Path, chunk_index: int) -> list[ArtifactNote]:
        """Write what the frames since the last flush gave."""
        ...


def scan(
    path: Path,
    facts: MediaFacts,
    plan: ScanPlan,
    *,
    folder: Path,
    observers: Sequence[Observer] = (),
    position: dict[str, Any] | None = None,
    threads: int = 1,
    interrupt: Interrupt,
) -> Iterator[Batch]:
    """Decode *path* once and yield a Batch a chunk; the last one's result counts the whole pass.

    Args:
        path: the probed file.
        facts: what the probe found.
        plan: what to keep.
        folder: where files are written.
        observers: who is shown every frame.
        position: of the last Batch that was committed; empty from the start.
        threads: cores for the decoder.
        interrupt: asked between packets.

    Yields:
        Batches with rows ``thumbnails`` and artifacts ``times``, ``poster``, ``thumbnail``, ``sample`` and
        ``audio``; the last one's ``result`` has frames, end_time (seconds), has_audio and skipped.

    Raises:
        Interrupted: it was cancelled.
        StoreError: a file could not be written.
        MediaError: the file no longer is what was probed.
    """
    place = position or {}
    work = _Pass(facts, plan, folder, observers, place)
    sound = _track(facts, folder)
    # A pass that goes on in the middle reads the sound by itself afterwards, from its start.
    pictures = Decoding(path, facts.video_index, None if place else facts.audio_index, threads, interrupt)
    pictures.hear = sound.take if sound else None
    pictures.skipped = place.get("skipped", 0)
    try:
        yield from work.batches(pictures, place)
        if place and sound is not None:
            replace(pictures, audio=facts.audio_index).sound()
        note = sound.finish() if sound else None
        yield work.last_batch(note, sound.seconds if sound else 0.0, pictures.skipped)
    finally:
        if sound is not None:
            sound.abandon()


class _Pass:
    def __init__(
        self,
        facts: MediaFacts,
        plan: ScanPlan,
        folder: Path,
        observers: Sequence[Observer],
        position: dict[str, Any],
    ) -> None:
        self._facts, self._plan, self._folder, self._observers = facts, plan, folder, observers
        self._clock = clock_of(facts, facts.video_index or 0)
        self._pictures = pictures_of(facts)
        self._album = Album(folder, plan, self._pictures, position.get("album", {}))
        self._chunk: int = position.get("chunk", 0)
        self._frames: int = position.get("frames", 0)
        self._last: SeenFrame | None = None
        self._stamps: list[int] = []

    def batches(self, decoding: Decoding, position: dict[str, Any]) -> Iterator[Batch]:
        """A Batch for every chunk but the last."""
        for frame in self._remaining(decoding, position):
            seen = self._seen(frame)
            if self._stamps and crossed(self._plan.chunk_seconds, self._before, seen.time):
                yield self._close_chunk(decoding.skipped, ended=False)
            self._see(seen)

    def last_batch(self, note: ArtifactNote | None, seconds: float, skipped: int) -> Batch:
        """What is left of the last chunk, with the sound and the counts of the whole pass."""
        batch = self._close_chunk(skipped, ended=True)
        result = {
            "frames": self._frames,
            "end_time": max(self._end_of_pictures(), seconds),
            "has_audio": note is not None,
            "skipped": skipped,
        }
        artifacts = [*batch.artifacts, note] if note else batch.artifacts
        return replace(batch, artifacts=artifacts, result=result, progress=1.0)

    @property
    def _before(self) -> float | None:
        return self._last.time if self._last else None

    def _remaining(self, decoding: Decoding, position: dict[str, Any]) -> Iterator[VideoFrame]:
        if "pts" not in position:
            yield from decoding.from_start()
            return
        frames = decoding.after(position["pts"])
        self._last = self._seen(next(frames))
        for observer in self._observers:
            observer.prime(self._last)
        yield from frames

    def _seen(self, frame: VideoFrame) -> SeenFrame:
        assert frame.pts is not None
        return SeenFrame(self._clock.seconds(frame.pts), frame.pts, frame, self._pictures)

    def _see(self, seen: SeenFrame) -> None:
        for observer in self._observers:
            observer.see(seen)
        self._album.see(seen, self._before)
        self._stamps.append(seen.pts)
        self._frames += 1
        self._last = seen

    def _close_chunk(self, skipped: int, *, ended: bool) -> Batch:
        rows, notes = self._album.flush(ended=ended)
        if self._stamps:
            notes.append(self._write_stamps())
            for observer in self._observers:
                notes.extend(observer.flush(self._folder, self._chunk))
            self._chunk += 1
            self._stamps = []
        return Batch(
            rows={"thumbnails": rows} if rows else {},
            artifacts=notes,
            position=self._position(skipped),
            progress=self._progress(),
        )

    def _write_stamps(self) -> ArtifactNote:
        stamps = np.array(self._stamps, dtype=np.int64)
        name = f"times-{self._chunk:04d}.npy"
        return write_artifact(self._folder, name, "times", lambda file: np.save(file, stamps))

    def _position(self, skipped: int) -> dict[str, Any]:
        if self._last is None:
            return {}
        return {
            "chunk": self._chunk,
            "pts": self._last.pts,
            "frames": self._frames,
            "skipped": skipped,
            "album": self._album.state(),
        }

    def _progress(self) -> float:
        length = self._facts.duration_seconds
        return min((self._before or 0.0) / length, 0.99) if length else 0.0

    def _end_of_pictures(self) -> float:
        if self._last is None:
            return 0.0
        # Where a container keeps no durations FFmpeg guesses them, and after a seek it guesses otherwise.
        kept = self._last.frame.duration if "mov" in self._facts.container.split(",") else 0
        if kept:
            return self._clock.seconds(self._last.pts + kept)
        rate = Fraction(self._facts.frame_rate or 0)
        return self._last.time + (float(1 / rate) if rate else 0.0)


def _track(facts: MediaFacts, folder: Path) -> AudioTrack | None:
    if facts.audio_index is None:
        return None
    clock = clock_of(facts, facts.audio_index)
    return AudioTrack(folder, clock, length=facts.duration_seconds)
