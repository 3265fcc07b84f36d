"""Descriptions as files that other programs read: subtitles, text, JSON.

An exporter is a function ``(describe, *, filename) -> str`` under the entry-point group ``vidbench.exporters``; ours
come through the same door as anybody's.
"""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from vidbench.contract.describe import Describe
from vidbench.errors import InvalidInput

GROUP = "vidbench.exporters"


class Exporter(Protocol):
    """Writes a description in one format."""

    def __call__(self, describe: Describe, *, filename: str = "") -> str:
        """*describe* as text; *filename* names the media file it is about."""
        ...


def exporters() -> dict[str, EntryPoint]:
    """Every format that is installed, by name."""
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def export(
    describe: Describe,
    format: str,  # noqa: A002 - the word users know
    *,
    filename: str = "",
) -> str:
    """*describe* in *format*: srt, vtt, markdown, json, or one that a plug-in brings.

    Args:
        describe: what was found.
        format: name of the format.
        filename: name of the media file, for formats that show it.

    Raises:
        InvalidInput: there is no such format; lists those there are.
        NotReady: the format needs a part that was not described.

    Example:
        >>> print(export(describe, "srt"))  # doctest: +SKIP
        1
        00:00:00,100 --> 00:00:02,000
        Wanna work together?
    """
    known = exporters()
    if format not in known:
        names = ", ".join(sorted(known))
        raise InvalidInput(f"format: there is no {format!r}", hint=f"Choose from: {names}.", field="format")
    write: Exporter = known[format].load()
    return write(describe, filename=filename)
