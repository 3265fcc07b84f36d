"""What every command shares: the bench it works on, the way it prints, and the progress it shows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.errors import NotFound

if TYPE_CHECKING:
    from vidbench.handles import File, Job
    from vidbench.workbench import Workbench

R = TypeVar("R")
TICK_SECONDS = 0.2


@contextmanager
def workspace(arguments: argparse.Namespace, default: str | None = None) -> Iterator[Workbench]:
    """The bench that ``--workspace`` names, closed at the end."""
    from vidbench.workbench import open_workbench

    with open_workbench(getattr(arguments, "workspace", default), announce=say) as bench:
        yield bench


def say(text: str) -> None:
    """One line on stderr, where results do not go."""
    sys.stderr.write(f"{text}\n")


def show(arguments: argparse.Namespace, resource: object, text: Callable[[], str]) -> int:
    """Print *resource* as the interface's JSON with ``--json``, else as *text*; the exit code is 0."""
    if getattr(arguments, "json", False):
        print(json.dumps(wire(resource), ensure_ascii=False, indent=2))
    else:
        print(text())
    return 0


def wire(resource: object) -> Any:
    """A contract object, or a list of them, as the interface's JSON."""
    from vidbench.contract.validation import to_wire

    if isinstance(resource, list | tuple):
        data = [wire(one) for one in resource]
        return {"object": "list", "data": data, "total": len(data), "limit": len(data), "offset": 0}
    return resource if isinstance(resource, dict) else to_wire(resource)


def known_or_added(bench: Workbench, name: str) -> File:
    """The file of that name or id; a path that is not known yet is added first."""
    from pathlib import Path

    if Path(name).is_file():
        return bench.add(name)
    try:
        return bench.files[name]
    except NotFound:
        return bench.add(name)


def follow(job: Job[R]) -> R:
    """Wait for *job* with its progress on stderr, and return its result."""
    if job.record.state.ended:
        return job.result()
    (_bar if sys.stderr.isatty() else _lines)(job)
    return job.result()


def _bar(job: Job[Any]) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[left]}"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(job.record.operation, total=1.0, left="")
        for event in job.events(timeout=TICK_SECONDS):
            left = f"about {event.eta_seconds:.0f} s left" if event.eta_seconds else ""
            stage = event.stage or job.record.operation
            progress.update(task, completed=event.progress, description=stage, left=left)


def _lines(job: Job[Any]) -> None:
    last = ""
    for event in job.events(timeout=TICK_SECONDS):
        line = f"{event.stage} {event.text}".strip()
        if event.kind in {"stage", "state"} and line != last:
            say(f"{job.record.operation} {job.record.subject_name}: {line}")
            last = line


def pulling(name: str) -> Callable[[int, int], None]:
    """A progress callback that shows on stderr how much of *name* is there."""
    shown = -1

    def progress(done: int, total: int) -> None:
        nonlocal shown
        percent = 100 * done // total if total else 100
        step = percent if sys.stderr.isatty() else percent // 25 * 25
        if step != shown:
            shown = step
            end = "\r" if sys.stderr.isatty() and percent < 100 else "\n"
            sys.stderr.write(f"fetching {name}: {step:3d} % of {total / 1e6:.0f} MB{end}")

    return progress
