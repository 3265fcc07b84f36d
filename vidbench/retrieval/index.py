"""The index file: passages with their text and vectors, and the watermark."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

VERSION = "1"
"""Raised when the file's layout changes: an index of another version is made anew."""

_SCHEMA = """
create table meta (name text primary key, value text not null) without rowid;
create table passages (
    number integer primary key, passage_id text not null unique, row_id text not null, file_id text not null,
    run_id text not null, kind text not null, text text not null, start_time real not null, end_time real not null,
    vector blob
);
create index passages_by_file on passages (file_id);
create virtual table words using fts5(
    text, content = 'passages', content_rowid = 'number', tokenize = "porter unicode61 remove_diacritics 2"
);
"""
# Porter's stemmer (Porter 1980) lets "licences" find "licence"; diacritics are folded as people type them.

logger = logging.getLogger(__name__)


def index_path(workspace_id: str) -> Path:
    """Where the index of a workspace lies: the user's cache folder, or ``VIDBENCH_CACHE``."""
    import platformdirs

    root = os.environ.get("VIDBENCH_CACHE") or platformdirs.user_cache_dir("vidbench", appauthor=False)
    return Path(root) / "indexes" / f"{workspace_id}.sqlite"


class Index:
    """An open index; made by ``Index.open``. Any thread may call it."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._lock = threading.RLock()

    @classmethod
    def open(cls, path: Path, workspace_id: str) -> Index:
        """Open the index at *path*; one that is absent, damaged, of another version or workspace begins empty."""
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            connection = _connect(path)
            if _meta(connection) == {"version": VERSION, "workspace_id": workspace_id}:
                return cls(connection)
            connection.close()
        except sqlite3.DatabaseError as error:
            logger.warning("the search index is made anew: %s", error)
        for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            file.unlink(missing_ok=True)
        connection = _connect(path)
        with connection:
            connection.executescript(_SCHEMA)
            rows = [("version", VERSION), ("workspace_id", workspace_id), ("watermark", "0")]
            connection.executemany("insert into meta values (?, ?)", rows)
        return cls(connection)

    @property
    def watermark(self) -> int:
        """The number of the last outbox entry that was taken in."""
        (row,) = self.rows("select value from meta where name = 'watermark'")
        return int(row["value"])

    def apply(
        self,
        seq: int,
        action: str,
        run_id: str,
        file_id: str,
        passages: Sequence[dict[str, Any]],
        vectors: np.ndarray | None,
    ) -> None:
        """Take outbox entry *seq* in: the file's passages are those of *run_id* now.

        Args:
            seq: number of the entry.
            action: ``index``, or ``drop`` to forget the file.
            run_id: the passages' run.
            file_id: the file they are of.
            passages: rows of the passages table, in order.
            vectors: float32 of shape [n, d], a row a passage; None where there is no embedding model.
        """
        with self._lock, self._connection as connection:
            _forget(connection, file_id)
            if action == "index":
                for place, passage in enumerate(passages):
                    vector = None if vectors is None else np.asarray(vectors[place], dtype=np.float32).tobytes()
                    _add(connection, run_id, file_id, passage, vector)
            connection.execute("update meta set value = ? where name = 'watermark'", [str(seq)])

    def covers(self, file_ids: Sequence[str]) -> bool:
        """Whether any of *file_ids* has passages."""
        return bool(self.rows(f"select 1 from passages where {of_files(file_ids)} limit 1", *file_ids))

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """The rows that *sql* gives."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, parameters)]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def of_files(file_ids: Sequence[str]) -> str:
    """The condition that a passage is of one of *file_ids*, with a place for each."""
    return f"file_id in ({', '.join('?' * len(file_ids))})"


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    connection.execute("pragma journal_mode = wal")
    return connection


def _meta(connection: sqlite3.Connection) -> dict[str, str]:
    exists = connection.execute("select 1 from sqlite_master where name = 'meta'").fetchone()
    if not exists:
        return {}
    rows = connection.execute("select name, value from meta where name <> 'watermark'")
    return {row["name"]: row["value"] for row in rows}


def _forget(connection: sqlite3.Connection, file_id: str) -> None:
    sql = "insert into words (words, rowid, text) select 'delete', number, text from passages where file_id = ?"
    connection.execute(sql, [file_id])
    connection.execute("delete from passages where file_id = ?", [file_id])


def _add(
    connection: sqlite3.Connection, run_id: str, file_id: str, passage: dict[str, Any], vector: bytes | None
) -> None:
    names = "passage_id, row_id, file_id, run_id, kind, text, start_time, end_time, vector"
    values = [passage["id"], passage["row_id"], file_id, run_id, passage["kind"], passage["text"]]
    values += [passage["start_time"], passage["end_time"], vector]
    sql = f"insert into passages ({names}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 - names are ours
    number = connection.execute(sql, values).lastrowid
    connection.execute("insert into words (rowid, text) values (?, ?)", [number, passage["text"]])
