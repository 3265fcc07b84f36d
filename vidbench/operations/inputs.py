"""What each stage is given of earlier stages: rows and paths, read from the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vidbench.contract.media import FileRecord
    from vidbench.store.store import Store

ROWS = {
    "summary": {"segments": "segmentation", "speech": "speech", "scene_text": "scene_text"},
    "passages": {
        "speech": "speech",
        "scene_text": "scene_text",
        "segment_summaries": "summary",
        "file_summaries": "summary",
    },
}
"""Stage -> table -> the stage whose run holds that table's rows."""


def gather(store: Store, file: FileRecord, stage: str, runs: dict[str, str]) -> dict[str, Any]:
    """The ``inputs`` of a unit.

    Args:
        store: where rows and artifacts are.
        file: the file at work.
        stage: the stage that will read them.
        runs: stage -> run id of this plan.
    """
    if stage in ROWS:
        return {
            table: store.runs.rows(runs[source], table) if source in runs else []
            for table, source in ROWS[stage].items()
        }
    if stage == "segmentation" and "scan" in runs:
        return {"curve": _paths(store, file, runs["scan"], "curve")}
    if stage == "speech":
        return {"audio": next(iter(_paths(store, file, runs["scan"], "audio")), "")}
    if stage == "scene_text":
        folder = store.artifacts.folder(file.fingerprint, runs["scan"])
        samples = [row for row in store.runs.rows(runs["scan"], "thumbnails") if row["kind"] == "sample"]
        return {"samples": [{**row, "path": str(folder / row["path"])} for row in samples]}
    return {}


def _paths(store: Store, file: FileRecord, run_id: str, kind: str) -> list[str]:
    folder = store.artifacts.folder(file.fingerprint, run_id)
    return [str(folder / note.path) for note in store.runs.artifacts(run_id, kind)]
