"""Rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

from vidbench.display.markup import Html, element, page
from vidbench.display.wording import SHOWN_ROWS, count_text, lines_of, one_line, value_text

COLUMN_CHARACTERS = 40
"""Width of a cell in plain text; longer values end in an ellipsis."""


def table_html(columns: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """A table with a caption; of a long one the first rows, and how many more there are.

    Args:
        columns: their names.
        rows: a sequence of values each.
        caption: what it shows, or how far it is.
    """
    shown = rows[:SHOWN_ROWS]
    kinds = [_kind([row[index] for row in shown]) for index in range(len(columns))]
    table = element(
        "table",
        element("caption", _caption(rows, caption)),
        element("thead", _row("th", columns, kinds)),
        element("tbody", *(_row("td", row, kinds) for row in shown)),
        class_="vb-table",
    )
    return page(caption or "Table", element("div", table, class_="vb-scroll"))


def table_text(columns: Sequence[str], rows: Sequence[Sequence[Any]], caption: str = "") -> str:
    """A table as plain text in aligned columns."""
    shown = [[_short(value_text(value)) for value in row] for row in rows[:SHOWN_ROWS]]
    head = [_short(one_line(name)) for name in columns]
    widths = [max(map(len, column)) for column in zip(head, *shown, strict=True)]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()
        for cells in ([head, ["-" * width for width in widths], *shown] if head else [])
    )
    return lines_of(one_line(_caption(rows, caption)), lines)


def _caption(rows: Sequence[Sequence[Any]], caption: str) -> str:
    count = count_text(len(rows), "row")
    if len(rows) > SHOWN_ROWS:
        count = f"the first {SHOWN_ROWS} of {count}"
    return f"{caption} ({count})" if caption else count


def _row(tag: str, values: Sequence[Any], kinds: Sequence[str | None]) -> Html:
    cells = zip(values, kinds, strict=True)
    return element("tr", *(element(tag, value_text(value), class_=kind) for value, kind in cells))


def _kind(values: Sequence[Any]) -> str | None:
    """The class of a column: that of numbers, where it holds nothing else."""
    there = [value for value in values if value is not None]
    numbers = (isinstance(value, Number) and not isinstance(value, bool) for value in there)
    return "vb-number" if there and all(numbers) else None


def _short(text: str) -> str:
    return text if len(text) <= COLUMN_CHARACTERS else text[: COLUMN_CHARACTERS - 1] + "…"
