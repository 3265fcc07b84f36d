"""A crash between any two steps of a commit (artifact, transaction, completion, index) loses and doubles nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from vidbench.retrieval.index import Index
from vidbench.retrieval.search import search
from vidbench.store.store import Store

SCRIPT = Path(__file__).with_name("crash_script.py")
STEPS = (
    "begun", "artifact-0", "in-transaction-0", "committed-0", "artifact-1", "in-transaction-1", "committed-1",
    "in-completion", "completed", "in-index", "indexed",
)  # fmt: skip


def run(folder: Path, step: str) -> int:
    """Run the script until it ends or kills itself; its exit status."""
    environment = {**os.environ, "PYTHONPATH": str(SCRIPT.parent.parent)}
    done = subprocess.run([sys.executable, str(SCRIPT), str(folder), step], env=environment, check=False, timeout=60)
    return done.returncode


def dump(folder: Path) -> dict[str, Any]:
    """All that is in the workspace and its index, but for moments."""
    store = Store.open(folder)
    index = Index.open(folder / "index.sqlite", store.workspace_id)
    run = store.runs.get("run-1")
    told = {
        "passages": store.runs.rows("run-1", "passages"),
        "artifacts": store.runs.artifacts("run-1", "vectors"),
        "files": sorted(path.name for path in store.artifacts.root.rglob("*") if path.is_file()),
        "run": run and (run.state, run.result),
        "current": store.rows("from base.current"),
        "checkpoints": store.rows("from base.checkpoints"),
        "behind": [entry.run_id for entry in store.outbox.pending(index.watermark)],
        "outbox": len(store.rows("from base.outbox")),
        "index": index.rows("select passage_id, file_id, run_id, text, vector from passages order by number"),
        "hits": [hit.text for hit in search(index, "word1", None, None, 10)],
    }
    index.close()
    store.close()
    return told


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the script leaves when nothing happens to it."""
    folder = tmp_path_factory.mktemp("undisturbed")
    assert run(folder, "none") == 0
    return dump(folder)


def test_the_undisturbed_run_is_whole(undisturbed: dict[str, Any]):
    """The yardstick itself: four passages, two files, one entry, found in the index."""
    assert len(undisturbed["passages"]) == len(undisturbed["index"]) == 4
    assert undisturbed["files"] == ["0.bin", "1.bin"]
    assert undisturbed["run"] == ("completed", {"n0": 2, "n1": 2, "end": True})
    assert (undisturbed["behind"], undisturbed["outbox"], len(undisturbed["hits"])) == ([], 1, 2)


@pytest.mark.parametrize("step", STEPS)
def test_a_crash_at_any_step_loses_and_doubles_nothing(tmp_path: Path, undisturbed: dict[str, Any], step: str):
    """Killed with SIGKILL at the step, opened and run again: the same rows, files, entries and hits."""
    assert run(tmp_path, step) == -signal.SIGKILL
    assert run(tmp_path, "none") == 0

    assert dump(tmp_path) == undisturbed


@pytest.mark.parametrize(
    ("step", "files", "passages"),
    [("artifact-0", 0, 0), ("committed-0", 1, 2), ("artifact-1", 1, 2)],
)
def test_after_a_crash_files_and_rows_agree(tmp_path: Path, step: str, files: int, passages: int):
    """What was acknowledged is there; a file whose batch was not committed is swept away."""
    run(tmp_path, step)
    left = dump(tmp_path)

    assert (len(left["files"]), len(left["passages"])) == (files, passages)
    assert left["run"][0] == "running"
    assert left["current"] == []


def test_a_lost_index_is_made_anew_from_the_outbox(tmp_path: Path, undisturbed: dict[str, Any]):
    """Deleting the index file costs nothing but the time to fill it again."""
    run(tmp_path, "none")
    for file in tmp_path.glob("index.sqlite*"):
        file.unlink()
    run(tmp_path, "none")

    assert dump(tmp_path) == undisturbed
