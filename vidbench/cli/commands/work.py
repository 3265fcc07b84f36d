"""``add``, ``describe`` and ``segment``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from vidbench.cli.flags import config_from
from vidbench.cli.session import Shown, follow, known_or_added, say, show_all, workspace
from vidbench.errors import VidbenchError

if TYPE_CHECKING:
    from vidbench.handles import Description, File, Job
    from vidbench.handles.segments import Segments

R = TypeVar("R")
T = TypeVar("T")


def add(arguments: argparse.Namespace) -> int:
    """Take files in; what cannot be read is told, and 1 if that was all."""
    from vidbench.display import file_text
    from vidbench.resources import file_on_the_wire

    with workspace(arguments) as bench:
        paths = arguments.paths
        files = [bench.add(paths[0])] if _single(paths) else bench.add_all(paths)
        for name, why in getattr(files, "skipped", ()):
            say(f"skipped {name}: {why}")
        show_all(arguments, [(file_on_the_wire(file.record), partial(file_text, file.record)) for file in files])
        return 0 if files else 1


def describe(arguments: argparse.Namespace) -> int:
    """Describe files, all at once."""
    from vidbench.display import describe_text

    config = config_from(arguments)

    def result(file: File, job: Job[Description]) -> Shown:
        found = follow(job).describe
        return found, lambda: describe_text(found, file.name)

    return _on_files(arguments, lambda file: file.describe(**config), result)


def segment(arguments: argparse.Namespace) -> int:
    """Segment files, all at once."""
    from vidbench.display import segments_text

    config = config_from(arguments)

    def result(file: File, job: Job[Segments]) -> Shown:
        segments = follow(job)
        if not segments.applicable:
            say(f"{file.name}: not applicable: {segments.reason}")
        return segments.segmentation, lambda: segments_text(list(segments))

    return _on_files(arguments, lambda file: file.segment_as(config), result)


def _on_files(
    arguments: argparse.Namespace, verb: Callable[[File], Job[R]], result: Callable[[File, Job[R]], Shown]
) -> int:
    """Do *verb* to every file; a failure is told and does not stop the others, and the last one is raised."""
    failed: list[VidbenchError] = []
    with workspace(arguments) as bench:
        files = _tried(arguments.files, lambda name: known_or_added(bench, name), failed)
        jobs = _tried(files, lambda file: (file, verb(file)), failed)
        show_all(arguments, _tried(jobs, lambda asked: result(*asked), failed))
    for earlier in failed[:-1]:
        say(f"vidbench: {earlier}")
    if failed:
        raise failed[-1]
    return 0


def _tried(items: Iterable[T], do: Callable[[T], R], failed: list[VidbenchError]) -> list[R]:
    """What *do* gives for each of *items*; what it raises is collected."""
    done = []
    for item in items:
        try:
            done.append(do(item))
        except VidbenchError as error:
            failed.append(error)
    return done


def _single(paths: list[str]) -> bool:
    """Whether one plain file is meant, whose error should be told as it is."""
    from pathlib import Path

    return len(paths) == 1 and not Path(paths[0]).is_dir() and not any(sign in paths[0] for sign in "*?[")
