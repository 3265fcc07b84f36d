"""``add``, ``describe`` and ``segment``."""

from __future__ import annotations

import argparse

from vidbench.cli.flags import config_from
from vidbench.cli.session import follow, known_or_added, say, show, workspace


def add(arguments: argparse.Namespace) -> int:
    """Take files in; 1 if none of them could be read."""
    from vidbench.display import file_text
    from vidbench.resources import file_on_the_wire

    with workspace(arguments) as bench:
        paths = arguments.paths
        files = [bench.add(paths[0])] if _single(paths) else bench.add_all(paths)
        for name, why in getattr(files, "skipped", ()):
            say(f"skipped {name}: {why}")
        for file in files:
            show(arguments, file_on_the_wire(file.record), lambda record=file.record: file_text(record))
        return 0 if files else 1


def describe(arguments: argparse.Namespace) -> int:
    """Describe files, one after the other as far as a reader sees."""
    from vidbench.display import describe_text

    with workspace(arguments) as bench:
        files = [known_or_added(bench, name) for name in arguments.files]
        jobs = [(file, file.describe(**config_from(arguments))) for file in files]
        for file, job in jobs:
            found = follow(job).describe
            show(arguments, found, lambda found=found, file=file: describe_text(found, file.name))
    return 0


def segment(arguments: argparse.Namespace) -> int:
    """Segment files."""
    from vidbench.display import segments_text

    config = config_from(arguments)
    with workspace(arguments) as bench:
        for name in arguments.files:
            file = known_or_added(bench, name)
            segments = follow(file.segment_as(config))
            if not segments.applicable:
                say(f"{file.name}: not applicable: {segments.reason}")
            show(arguments, segments.segmentation, lambda found=segments: segments_text(list(found)))
    return 0


def _single(paths: list[str]) -> bool:
    """Whether one plain file is meant, whose error should be told as it is."""
    from pathlib import Path

    return len(paths) == 1 and not Path(paths[0]).is_dir() and not any(sign in paths[0] for sign in "*?[")
