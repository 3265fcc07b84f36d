"""Numbers and names in words, the same in HTML and in plain text."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Mapping
from typing import Any

from vidbench.contract.clock import clock_text

WIDTH = 100
"""Characters in a line of plain text."""

SHOWN_ROWS = 200
"""Rows shown of a long list; the rest is counted."""

UNSURE_BELOW = 0.5
"""Confidence below which a reading is marked as unsure."""

CELL_CHARACTERS = 400
"""Characters shown of a value in a table."""

_ABSENT = frozenset({"NAType", "NaTType"})
"""pandas' own words for what is not there, by name: pandas need not be loaded to show them."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters could steer a terminal, and those of writing direction could swap what is read."""


def one_line(value: object) -> str:
    r"""*value* as one line of printable text.

    Example:
        >>> one_line("red \x1b[31malert\n now")
        'red �[31malert now'
    """
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", " ".join(str(value).split()))


def wrapped(text: str, *, indent: int = 0) -> str:
    """*text* as lines of at most ``WIDTH`` characters, set in by *indent*, and by two more from the second on."""
    first = " " * indent
    following = " " * (indent + 2) if indent else ""
    lines = textwrap.wrap(one_line(text), WIDTH, initial_indent=first, subsequent_indent=following)
    return "\n".join(lines)


def span_text(start: float, end: float) -> str:
    """``[start, end)`` in seconds as ``00:00 - 00:20``."""
    return f"{clock_text(start)} - {clock_text(end)}"


def bytes_text(size: int) -> str:
    """A size in bytes, in decimal units as file managers show it.

    Example:
        >>> bytes_text(999), bytes_text(12_345_678)
        ('999 B', '12.3 MB')
    """
    amount, unit = float(size), "B"
    for unit in ("B", "kB", "MB", "GB", "TB"):
        if amount < 1000 or unit == "TB":
            break
        amount /= 1000
    return f"{size} B" if unit == "B" else f"{amount:.1f} {unit}"


def percent_text(share: float) -> str:
    """A share from 0 to 1 as whole per cent."""
    return f"{share:.0%}".replace("%", " %")


def count_text(number: int, noun: str) -> str:
    """*number* with its noun, which gets an s unless there is one.

    Example:
        >>> count_text(1, "segment"), count_text(0, "shot")
        ('1 segment', '0 shots')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def value_text(value: Any) -> str:
    """A cell of a table: what is absent is a dash, numbers are short, bytes and parts are counted."""
    if value is None or type(value).__name__ in _ABSENT:
        return "-"
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.6g}"
    if isinstance(value, bytes | bytearray | memoryview):
        return count_text(len(value), "byte")
    if isinstance(value, list | tuple) and any(isinstance(item, Mapping) for item in value):
        return count_text(len(value), "item")
    text = one_line(value)
    return text if len(text) <= CELL_CHARACTERS else text[: CELL_CHARACTERS - 1] + "…"


def joined(*parts: str | None) -> str:
    """The parts that say something, between middle dots."""
    return " · ".join(part for part in parts if part)


def lines_of(*parts: str | Iterable[str] | None) -> str:
    """The parts that say something, a line each."""
    found: list[str] = []
    for part in parts:
        if part:
            found += [part] if isinstance(part, str) else part
    return "\n".join(found)
