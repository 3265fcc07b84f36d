"""One describe in small: a file, two batches with an artifact, completion, index. Kills itself at a named step.

Usage: ``python crash_script.py FOLDER STEP`` where STEP is one of those in ``test_crash.py``, or ``none``.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import numpy as np
from facts import make_facts

from vidbench.contract.media import FileRecord
from vidbench.contract.work import ArtifactNote, Batch
from vidbench.retrieval.index import Index
from vidbench.store.store import Store

RUN, FILE = "run-1", "file-1"


class Killer:
    """Ends this process without warning when the chosen step is reached."""

    def __init__(self, step: str) -> None:
        self.step = step

    def reached(self, step: str) -> None:
        if step == self.step:
            os.kill(os.getpid(), signal.SIGKILL)


def batch(number: int) -> Batch:
    """A batch of two passages and one file."""
    rows = [
        {"ordinal": 2 * number + n, "kind": "speech", "row_id": "s", "text": f"word{number} number {n}",
         "start_time": float(number), "end_time": number + 1.0}
        for n in range(2)
    ]  # fmt: skip
    note = ArtifactNote(kind="vectors", path=f"{number}.bin", bytes=1, sha256=str(number))
    return Batch(
        rows={"passages": rows},
        artifacts=[note],
        position={"done": number + 1},
        result={f"n{number}": 2},
    )


def work(store: Store, killer: Killer) -> None:
    """What an owner does with a stage, resumed from its checkpoint."""
    names = {"file_id": FILE, "fingerprint": "print", "filename": "a.mp4", "path": "/a.mp4"}
    store.files.add(FileRecord(**names, bytes=1, created_at=1, facts=make_facts()))
    store.runs.begin(RUN, FILE, "passages", "key", {}, {})
    killer.reached("begun")
    run = store.runs.get(RUN)
    if run is not None and run.state == "completed":
        return
    folder = store.artifacts.folder("print", RUN)
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(store.runs.checkpoint(RUN).position.get("done", 0), 2):
        (folder / f"{number}.bin").write_bytes(b"x")
        killer.reached(f"artifact-{number}")
        _kill_inside(store, killer, f"in-transaction-{number}", batch(number))
        store.runs.commit(RUN, FILE, batch(number))
        killer.reached(f"committed-{number}")
    if killer.step == "in-completion":
        _kill_inside(store, killer, "in-completion", None)
    store.runs.complete(RUN, {"end": True}, 1.0, make_current=("passages",), index=True)
    killer.reached("completed")


def _kill_inside(store: Store, killer: Killer, step: str, one: Batch | None) -> None:
    """Do part of the step's transaction, then die in the middle of it."""
    if killer.step != step:
        return

    def change(cursor) -> None:
        if one is None:
            cursor.execute("update base.runs set state = 'completed' where run_id = ?", [RUN])
            cursor.execute("insert into base.current values (?, 'passages', ?)", [FILE, RUN])
        else:
            cursor.execute("insert into base.artifacts values (?, 'half', 'vectors', 1, '')", [RUN])
        killer.reached(step)

    store.write(change).result()


def follow(store: Store, index: Index, killer: Killer) -> None:
    """Bring the index up to the store."""
    for entry in store.outbox.pending(index.watermark):
        passages = store.runs.rows(entry.run_id, "passages")
        if killer.step == "in-index":
            index.rows("insert into passages (passage_id, row_id, file_id, run_id, kind, text, start_time, end_time)"
                       " values ('half', '', '', '', '', '', 0, 0)")  # fmt: skip
            killer.reached("in-index")
        index.apply(entry.seq, entry.action, RUN, FILE, passages, np.eye(len(passages), dtype=np.float32))
        killer.reached("indexed")


def main(folder: Path, step: str) -> None:
    """Open, work, follow, close."""
    killer = Killer(step)
    store = Store.open(folder)
    index = Index.open(folder / "index.sqlite", store.workspace_id)
    work(store, killer)
    follow(store, index, killer)
    index.close()
    store.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
