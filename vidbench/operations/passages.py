"""The passages stage: everything of a file that can be searched, as texts with times and vectors."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.contract.work import Batch, Interrupt, Row, Unit
from vidbench.media.artifacts import write_artifact
from vidbench.operations.stages import Models

if TYPE_CHECKING:
    import numpy as np

    from vidbench.language.protocols import EmbeddingModel

EMBED_AT_ONCE = 64
VECTORS = "vectors.npy"


def run(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """One passage a row of speech, scene text and summaries, in that order, with a vector each.

    Inputs: ``speech``, ``scene_text``, ``segment_summaries`` and ``file_summaries`` rows. Rows: ``passages``.
    File: ``vectors.npy``, float32, one row a passage in the order of their ordinals.
    """
    import numpy as np

    rows = passage_rows(unit)
    model: EmbeddingModel = models.get("embedding")
    vectors = _embedded([row["text"] for row in rows], model, interrupt)
    note = write_artifact(
        Path(unit.folder),
        VECTORS,
        "vectors",
        lambda file: np.save(file, vectors, allow_pickle=False),
    )
    yield Batch(
        rows={"passages": rows},
        artifacts=[note],
        position={"done": True},
        progress=1.0,
        result={"passages": len(rows), "dimensions": int(vectors.shape[1])},
    )


def passage_rows(unit: Unit) -> list[Row]:
    """What can be found in a file: rows of the ``passages`` table; a row without text gives none."""
    found = [
        *(_passage("speech", row, row["text"]) for row in unit.inputs["speech"]),
        *(_passage("scene_text", row, row["text"]) for row in unit.inputs["scene_text"]),
        *(_passage("segment_summary", row, _told(row)) for row in unit.inputs["segment_summaries"]),
        *(_passage("summary", _over_all(unit, row), _told(row)) for row in unit.inputs["file_summaries"]),
    ]
    said = [row for row in found if row["text"]]
    return [{"ordinal": ordinal, **row} for ordinal, row in enumerate(said)]


def _passage(kind: str, row: Row, text: str) -> Row:
    times = {"start_time": row["start_time"], "end_time": row["end_time"]}
    return {"kind": kind, "row_id": row["id"], "text": text.strip(), **times}


def _told(row: Row) -> str:
    return f"{row['title']}: {row['summary']}"


def _over_all(unit: Unit, row: Row) -> Row:
    return {**row, "start_time": 0.0, "end_time": float(unit.facts.get("duration_seconds", 0.0))}


def _embedded(texts: list[str], model: EmbeddingModel, interrupt: Interrupt) -> np.ndarray:
    import numpy as np

    batches = []
    # One batch at least, so that a file without passages has vectors of the right width too.
    for start in range(0, max(len(texts), 1), EMBED_AT_ONCE):
        interrupt.check()
        batches.append(model.embed(texts[start : start + EMBED_AT_ONCE]))
    return np.concatenate(batches).astype(np.float32, copy=False)
