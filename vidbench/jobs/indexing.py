"""Bringing the search index up to the store: the outbox says what is new, the watermark what is done."""

from __future__ import annotations

import logging
import threading

import numpy as np

from vidbench.jobs.context import Context

logger = logging.getLogger(__name__)
_ONE_AT_A_TIME = threading.Lock()


def catch_up(context: Context) -> None:
    """Apply every outbox entry that the index has not seen; nothing happens where there is none."""
    with _ONE_AT_A_TIME:
        for entry in context.store.outbox.pending(context.index.watermark):
            run = context.store.runs.get(entry.run_id)
            if run is None:
                continue
            passages = context.store.runs.rows(entry.run_id, "passages")
            context.index.apply(
                entry.seq,
                entry.action,
                run.run_id,
                run.file_id,
                passages,
                _vectors(context, run.run_id),
            )


def _vectors(context: Context, run_id: str) -> np.ndarray | None:
    """The vectors of a passages run, from its artifact; None where it has none."""
    run = context.store.runs.get(run_id)
    notes = context.store.runs.artifacts(run_id, "vectors")
    if run is None or not notes:
        return None
    fingerprint = context.store.files.get(run.file_id).fingerprint
    path = context.store.artifacts.folder(fingerprint, run_id) / notes[0].path
    if not path.exists():
        logger.warning("%s is gone: its file is found by words only", path)
        return None
    vectors: np.ndarray = np.load(path)
    return vectors
