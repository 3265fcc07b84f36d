"""``ask``, ``sql`` and ``export``."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.cli.session import follow, say, show, workspace
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
        rows = frame.to_numpy().tolist()
        return show(arguments, query_result(query, frame), lambda: table_text(list(frame.columns), rows))


def export(arguments: argparse.Namespace) -> int:
    """Write a description in another format."""
    with workspace(arguments) as bench:
        text = bench.files[arguments.file].export(arguments.format)
    if arguments.output is None:
        sys.stdout.write(text)
        return 0
    path = Path(arguments.output)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror}", file=str(path)) from error
    say(f"wrote {path}")
    return 0


def query_result(query: str, frame: pd.DataFrame) -> dict[str, Any]:
    """The contract's query result for *frame*."""
    from vidbench.contract.ids import fresh_id, now_ms
    from vidbench.contract.query import Column, QueryResult
    from vidbench.contract.validation import to_wire

    rows = json.loads(frame.to_json(orient="records", date_format="iso", default_handler=str) or "[]")
    columns = tuple(Column(name=str(name), type=str(kind)) for name, kind in frame.dtypes.items())
    result = QueryResult(
        id=fresh_id(),
        status="completed",
        created_at=now_ms(),
        sql=query,
        columns=columns,
        rows=tuple(rows),
        row_count=len(rows),
    )
    data: dict[str, Any] = to_wire(result)
    return data | {"rows": rows}


def _value(text: str) -> Any:
    """A parameter as JSON where it is a number, true, false or null; else as text."""
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return text
    return text if isinstance(value, str | list | dict) else value
