"""What every command shares: the bench it works on, the way it prints, and the progress it shows."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.errors import NotFound, OwnerGone

if TYPE_CHECKING:
    from vidbench.handles import File, Job
    from vidbench.workbench import Workbench

R = TypeVar("R")
Shown = tuple[object, Callable[[], str]]
"""A resource, and what makes its text."""
TICK_SECONDS = 0.2
"""How often progress is drawn where nothing happens, so that Ctrl-C gets through."""
TAIL_CHARACTERS = 60
"""How much of an answer in the making is shown."""


@contextmanager
def workspace(arguments: argparse.Namespace, default: str | None = None) -> Iterator[Workbench]:
    """The bench that ``--workspace`` names, closed at the end; it does what it is asked, and resumes nothing else."""
    from vidbench.workbench import open_workbench

    with open_workbench(getattr(arguments, "workspace", default), resume=False, announce=say) as bench:
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


def show_all(arguments: argparse.Namespace, results: Sequence[Shown]) -> int:
    """Print results, one as it is, several as a list; the exit code is 0."""
    if len(results) == 1:
        return show(arguments, *results[0])
    return show(arguments, [one for one, _ in results], lambda: "\n\n".join(text() for _, text in results))


def wire(resource: object) -> Any:
    """A contract object, or a list of them, as the interface's JSON."""
    from vidbench.contract.validation import to_wire

    if isinstance(resource, list | tuple):
        data = [wire(one) for one in resource]
        return {"object": "list", "data": data, "total": len(data), "limit": len(data), "offset": 0}
    return resource if isinstance(resource, dict) else to_wire(resource)


def known_or_added(bench: Workbench, name: str) -> File:
    """The file that *name* means: a path that is there is added, all else is looked up by id or name.

    Raises:
        NotFound: it is neither.
        MediaError: the path holds no video or sound that can be read.
    """
    from pathlib import Path

    if Path(name).expanduser().is_file():
        return bench.add(name)
    try:
        return bench.files[name]
    except NotFound:
        hint = "Give a path, or a name that is listed by: vidbench sql 'select filename from files'"
        raise NotFound(f"{name} is neither a file here nor in the workspace", hint=hint, file=name) from None


def follow(job: Job[R]) -> R:
    """Wait for *job* with its progress on stderr, and return its result. If its owner goes away, this process goes on.

    Raises:
        KeyboardInterrupt: nobody wants to wait any longer; where to find the job again was said.
    """
    watch = _bar if sys.stderr.isatty() else _lines
    try:
        while not job.record.state.ended:
            with suppress(OwnerGone):
                watch(job)
    except KeyboardInterrupt:
        say(f"Not waiting any longer. To stop the job itself: vidbench jobs cancel {job.id}")
        raise
    return job.result()


def _bar(job: Job[Any]) -> None:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    columns = (
        TextColumn("{task.fields[name]}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.description}", markup=False),
        TextColumn("{task.fields[left]}"),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("", total=1.0, left="", name=job.record.subject_name)
        text = ""
        for event in job.events(timeout=TICK_SECONDS):
            left = f"about {event.eta_seconds:.0f} s left" if event.eta_seconds else ""
            text = (text + event.text)[-TAIL_CHARACTERS:] if event.kind == "token" else text
            stage = " ".join(text.split()) or event.stage or job.record.operation
            progress.update(task, completed=event.progress, description=stage, left=left)


def _lines(job: Job[Any]) -> None:
    """A line for every stage, and for every quarter of the whole."""
    last = ("", 0)
    for event in job.events(timeout=TICK_SECONDS):
        now = (event.stage, int(event.progress * 4))
        if event.kind != "token" and event.stage and now != last:
            left = f", about {event.eta_seconds:.0f} s left" if event.eta_seconds else ""
            say(f"{job.record.operation} {job.record.subject_name}: {event.stage}, {event.progress:.0%}{left}")
            last = now


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
