"""The columns of the tables that stages fill: one place, which the inserts read and a test holds against the SQL."""

from __future__ import annotations

TABLES: dict[str, dict[str, str]] = {
    "thumbnails": {
        "kind": "varchar",
        "time": "double",
        "path": "varchar",
        "width": "integer",
        "height": "integer",
    },
    "segments": {"start_time": "double", "end_time": "double"},
    "shots": {"start_time": "double", "end_time": "double"},
    "speech": {
        "start_time": "double",
        "end_time": "double",
        "text": "varchar",
        "speaker": "varchar",
        "language": "varchar",
        "confidence": "double",
        "no_speech": "double",
    },
    "words": {
        "speech_ordinal": "integer",
        "word": "varchar",
        "start_time": "double",
        "end_time": "double",
        "confidence": "double",
    },
    "scene_text": {
        "start_time": "double",
        "end_time": "double",
        "text": "varchar",
        "confidence": "double",
        "box_left": "double",
        "box_top": "double",
        "box_right": "double",
        "box_bottom": "double",
    },
    "segment_summaries": {
        "segment_id": "varchar",
        "start_time": "double",
        "end_time": "double",
        "title": "varchar",
        "summary": "varchar",
        "claims": "json",
    },
    "file_summaries": {"title": "varchar", "summary": "varchar", "claims": "json"},
    "passages": {
        "kind": "varchar",
        "row_id": "varchar",
        "text": "varchar",
        "start_time": "double",
        "end_time": "double",
    },
}
"""Table -> column -> DuckDB type; every table also has id, run_id, file_id and ordinal."""

KEYS = {"id": "varchar", "run_id": "varchar", "file_id": "varchar", "ordinal": "integer"}


def insert_sql(table: str) -> str:
    """The insert of many rows of *table* at once; ordinals that the run has already are left out.

    Its parameters are one list a column, in the order of ``KEYS`` and ``TABLES``, and the run's id. Lists
    through ``unnest`` are about a hundred times faster than one statement a row.

    Example:
        >>> insert_sql("shots").startswith('insert into base.shots ("id", "run_id"')
        True
    """
    columns = KEYS | TABLES[table]
    names = ", ".join(f'"{name}"' for name in columns)
    lists = ", ".join(
        f'unnest(${place}::{kind}[]) as "{name}"' for place, (name, kind) in enumerate(columns.items(), 1)
    )
    known = f"select ordinal from base.{table} where run_id = ${len(columns) + 1}"
    return f"insert into base.{table} ({names}) select * from (select {lists}) where ordinal not in ({known})"
