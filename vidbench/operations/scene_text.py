"""Scene text: what is written in the samples of the scan, with its first and last sighting."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from vidbench.contract.describe import SceneText
from vidbench.contract.work import Batch, Interrupt, Row, Unit
from vidbench.operations.stages import Models
from vidbench.perception.protocols import SceneTextModel
from vidbench.perception.text_tracks import TextTracks

BATCH_SAMPLES = 5
"""Pictures a commit: about a second of work."""


def run(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Rows ``scene_text``, in the order in which the texts leave the screen.

    Raises:
        Interrupted: the work was cancelled; seen between two pictures.
        MediaError: a sample cannot be read.
    """
    samples: list[dict[str, Any]] = unit.inputs.get("samples", [])
    tracks = TextTracks(unit.position.get("open", ()))
    ordinal: int = unit.position.get("ordinal", 0)
    first: int = unit.position.get("sample", 0)
    for begin in range(first, len(samples), BATCH_SAMPLES):
        some = samples[begin : begin + BATCH_SAMPLES]
        ended = _read(some, tracks, models.get("scene_text"), interrupt)
        done = begin + len(some)
        rows = _rows(ended, ordinal)
        ordinal += len(rows)
        position = {"sample": done, "ordinal": ordinal, "open": tracks.state()}
        yield Batch(
            rows={"scene_text": rows} if rows else {},
            position=position,
            progress=0.99 * done / len(samples),
        )
    interrupt.check()
    rows = _rows(tracks.finish(_end(unit, samples)), ordinal)
    position = {"sample": len(samples), "ordinal": ordinal + len(rows), "open": []}
    result = {"texts": ordinal + len(rows), "samples": len(samples)}
    yield Batch(rows={"scene_text": rows} if rows else {}, position=position, progress=1.0, result=result)


def _read(
    samples: list[dict[str, Any]], tracks: TextTracks, model: SceneTextModel, interrupt: Interrupt
) -> list[SceneText]:
    """Read *samples* and give the texts that ended among them."""
    ended: list[SceneText] = []
    pictures = model.read(_checked(samples, interrupt))
    for sample, readings in zip(samples, pictures, strict=True):
        ended += tracks.see(sample["time"], readings)
    return ended


def _checked(samples: list[dict[str, Any]], interrupt: Interrupt) -> Iterator[Path]:
    """The pictures' paths, each handed out only if the work is still wanted."""
    for sample in samples:
        interrupt.check()
        yield Path(sample["path"])


def _end(unit: Unit, samples: list[dict[str, Any]]) -> float:
    """The end of the media, and never before the last picture."""
    last = samples[-1]["time"] if samples else 0.0
    return max(float(unit.facts.get("duration_seconds", 0.0)), last)


def _rows(texts: list[SceneText], ordinal: int) -> list[Row]:
    return [_row(text, ordinal + number) for number, text in enumerate(texts)]


def _row(text: SceneText, ordinal: int) -> Row:
    left, top, right, bottom = text.box
    return {
        "ordinal": ordinal,
        "text": text.text,
        "start_time": text.start_time,
        "end_time": text.end_time,
        "confidence": text.confidence,
        "box_left": left,
        "box_top": top,
        "box_right": right,
        "box_bottom": bottom,
    }
