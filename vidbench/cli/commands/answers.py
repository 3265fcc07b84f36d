"""``ask``, ``sql`` and ``export``."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.cli.session import follow, say, show, workspace
from vidbench.contract.ids import fresh_id, now_ms
from vidbench.contract.query import Column, QueryResult
from vidbench.contract.validation import to_wire
from vidbench.errors import StoreError

if TYPE_CHECKING:
    import pandas as pd


def ask(arguments: argparse.Namespace) -> int:
    """Ask a collection, which must exist; on a terminal the answer appears as it is written."""
    from vidbench.display import chat_text
    from vidbench.handles import Collection

    with workspace(arguments) as bench:
        collection = Collection(bench, arguments.collection)
        answer = follow(collection.ask(arguments.question, temperature=arguments.temperature))
        return show(arguments, answer.completion, lambda: chat_text(answer.completion, answer.filenames))


def sql(arguments: argparse.Namespace) -> int:
    """Run one SELECT."""
    from vidbench.display import table_text

    query = sys.stdin.read() if arguments.query == "-" else arguments.query
    with workspace(arguments) as bench:
        frame = bench.sql(query, [_value(text) for text in arguments.parameters] or None)
        rows = frame.to_numpy(dtype=object).tolist()
        return show(arguments, query_result(query, frame), lambda: table_text(list(frame.columns), rows))


def export(arguments: argparse.Namespace) -> int:
    """Write a description in another format; with ``--json`` the text is the description's ``content``."""
    from vidbench.contract.describe import DescribeData

    with workspace(arguments) as bench:
        file = bench.files[arguments.file]
        text = file.export(arguments.format)
        found = replace(bench.engine.current_describe(file_id=file.id), data=DescribeData(content=text))
    if arguments.output is not None:
        path = Path(arguments.output)
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror}", file=str(path)) from error
        say(f"wrote {path}")
    if getattr(arguments, "json", False):
        return show(arguments, found, str)
    if arguments.output is None:
        sys.stdout.write(text)
    return 0


def query_result(query: str, frame: pd.DataFrame) -> dict[str, Any]:
    """The contract's query result for *frame* as JSON; a value that is missing is null and stays in its row."""
    rows = [{str(name): _plain(value) for name, value in row.items()} for row in frame.to_dict("records")]
    result = QueryResult(
        id=fresh_id(),
        status="completed",
        created_at=now_ms(),
        sql=query,
        columns=tuple(Column(name=str(name), type=str(kind)) for name, kind in frame.dtypes.items()),
        rows=(),
        row_count=len(rows),
    )
    data: dict[str, Any] = to_wire(result)
    return data | {"rows": rows}


def _plain(value: Any) -> Any:
    """A value of a DataFrame as JSON, numbers to the last digit: what is missing is null, dates are ISO text."""
    import numpy as np
    import pandas as pd

    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(one) for one in value]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or pd.isna(value):
        return None
    return value if isinstance(value, bool | int | float | str) else str(value)


def _value(text: str) -> Any:
    """A parameter as JSON where it is a number, true, false or null; else as text."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return text if isinstance(value, str | list | dict) else value
