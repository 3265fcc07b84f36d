"""Bringing a store's schema up to date: numbered SQL files, each applied once, in a transaction."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING

from vidbench.contract.ids import fresh_id, now_ms, stable_id
from vidbench.errors import StoreError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Cursor

EVERYTHING_ID = stable_id("collection", "all")
"""Id of the built-in collection, the same in every workspace."""


def migrate(connection: Cursor) -> None:
    """Apply the numbered migrations that the file has not seen.

    Raises:
        StoreError: the file was written by a newer vidbench.
    """
    known = steps()
    version = schema_version(connection)
    if version > len(known):
        raise StoreError(
            f"This workspace was written by a newer vidbench (schema {version}, known up to {len(known)})",
            hint="Upgrade vidbench: pip install -U vidbench",
        )
    for number, step in enumerate(known[version:], version + 1):
        connection.begin()
        connection.execute(step.read_text(encoding="utf-8"))
        if number == 1:
            _begin_with(connection)
        sql = "insert or replace into base.meta values ('schema_version', ?)"
        connection.execute(sql, [str(number)])
        connection.commit()


def steps() -> list[Traversable]:
    """The migrations, in order."""
    folder = resources.files("vidbench.store") / "migrations"
    files = (file for file in folder.iterdir() if file.name.endswith(".sql"))
    return sorted(files, key=lambda file: file.name)


def schema_version(connection: Cursor) -> int:
    """How many migrations the file has seen; 0 for a new one."""
    sql = "select count(*) from information_schema.tables where table_schema = ? and table_name = ?"
    if connection.execute(sql, ["base", "meta"]).fetchone() == (0,):
        return 0
    sql = "select value from base.meta where name = 'schema_version'"
    row = connection.execute(sql).fetchone()
    return int(row[0]) if row else 0


def _begin_with(connection: Cursor) -> None:
    """What a new workspace begins with: its id, and the collection that every file belongs to."""
    connection.execute("insert into base.meta values ('workspace_id', ?)", [fresh_id()])
    values = [EVERYTHING_ID, "all", "media-descriptions", "Every file of the workspace", now_ms()]
    connection.execute("insert into base.collections values (?, ?, ?, ?, ?)", values)
