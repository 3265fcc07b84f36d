"""Killing processes at chosen points of a describe, and comparing what is left with an undisturbed run."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import duckdb

SCRIPT = Path(__file__).parent / "owner_script.py"
TABLES = (
    "thumbnails", "segments", "shots", "speech", "words", "scene_text", "segment_summaries", "file_summaries",
    "passages", "artifacts",
)  # fmt: skip
"""What a describe makes; everything in them but the time of writing is part of the result."""


When = Callable[[list[dict]], bool]


@dataclass
class Outcome:
    """What one process printed before its end."""

    events: list[dict] = field(default_factory=list)
    returncode: int | None = None
    errors: str = ""
    killed: bool = False

    @property
    def done(self) -> bool:
        """Whether the description was finished."""
        return any(event["kind"] == "done" for event in self.events)


def run_owner(
    workspace: Path, clip: Path, *, when: When | None = None, victim: str = "owner", **environment: str
) -> Outcome:
    """Run the script; SIGKILL the owner or a worker kind once *when* holds of the events so far."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(workspace), str(clip)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, **environment},
    )
    outcome = Outcome()
    assert process.stdout is not None
    assert process.stderr is not None
    for line in process.stdout:
        if not line.startswith("{"):
            continue
        outcome.events.append(json.loads(line))
        if when and not outcome.killed and when(outcome.events):
            outcome.killed = _kill(process, outcome.events[-1].get("pids", {}), victim)
    outcome.returncode = process.wait(timeout=60)
    outcome.errors = process.stderr.read()
    return outcome


def _kill(process: subprocess.Popen[str], pids: dict[str, int], victim: str) -> bool:
    pid = process.pid if victim == "owner" else pids.get(victim, 0)
    if not pid:
        return False
    os.kill(pid, signal.SIGKILL)
    return True


def contents(workspace: Path) -> dict[str, list[tuple]]:
    """Every row of the result, in order, without the time of writing."""
    with duckdb.connect(str(workspace / "store.duckdb"), read_only=True) as connection:
        return {table: _rows(connection, table) for table in TABLES}


def _rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple]:
    columns = [row[0] for row in connection.sql(f"describe base.{table}").fetchall()]
    kept = ", ".join(name for name in columns if name != "created_at")
    return sorted(connection.sql(f"select {kept} from base.{table}").fetchall(), key=repr)


def finished_runs(workspace: Path) -> dict[str, int]:
    """Run id -> when it finished, for the runs that have."""
    with duckdb.connect(str(workspace / "store.duckdb"), read_only=True) as connection:
        rows = connection.sql("select run_id, finished_at from base.runs where finished_at is not null").fetchall()
        return dict(rows)


def artifact_bytes(workspace: Path) -> dict[str, bytes]:
    """Every artifact file with its content, by its path inside the workspace."""
    root = workspace / "artifacts"
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}
