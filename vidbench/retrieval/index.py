"""The index file: passages with their text and vectors, and the watermark."""

from __future__ import annotations

import json
import logging
import os
import sqlite3
import threading
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from vidbench.errors import StoreError
from vidbench.retrieval.vectors import Matrix

VERSION = "2"
"""Raised when the file's layout changes: an index of another version is made anew."""

_SCHEMA = """
create table meta (name text primary key, value text not null) without rowid;
create table passages (
    number integer primary key, passage_id text not null unique, row_id text not null,
    file_id text not null, run_id text not null, kind text not null, text text not null,
    start_time real not null, end_time real not null, vector blob
);
create index passages_by_file on passages (file_id);
create virtual table words using fts5(
    text, content = 'passages', content_rowid = 'number',
    tokenize = "porter unicode61 remove_diacritics 2"
);
"""
# Porter's stemmer (Porter 1980) lets "licences" find "licence" and leaves what is not English alone or treats question
# and passage alike; diacritics are folded as people type them. Scripts written without blanks are one long word to
# unicode61: there the vectors find what the words cannot.

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
        self._matrices: dict[int, Matrix] = {}

    @classmethod
    def open(cls, path: Path, workspace_id: str) -> Index:
        """Open the index at *path*; one that is absent, damaged, of another version or workspace begins empty.

        Raises:
            StoreError: no file can be made there.
        """
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return cls(_usable(path, workspace_id) or _new(path, workspace_id))
        except (OSError, sqlite3.Error) as error:
            hint = "Set VIDBENCH_CACHE to a folder that can be written."
            raise StoreError(f"{path} cannot be made: {error}", hint=hint, file=str(path)) from error

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
        vectors: NDArray[np.float32] | None,
    ) -> None:
        """Take outbox entry *seq* in: the file's passages are those of *run_id* now. Twice is once.

        Args:
            seq: number of the entry; becomes the watermark in the same transaction.
            action: ``index``, or ``drop`` to forget the file.
            run_id: the passages' run.
            file_id: the file they are of.
            passages: rows of the passages table, in order.
            vectors: float32 of shape [n, d], a row a passage; None where there is no embedding model.

        Raises:
            StoreError: there is not a vector for each passage, or the file cannot be written.
        """
        if action == "index" and vectors is not None and len(vectors) != len(passages):
            raise StoreError(f"run {run_id}: {len(vectors)} vectors for {len(passages)} passages")
        try:
            with self._lock, self._connection as connection:
                self._matrices.clear()
                _forget(connection, file_id)
                if action == "index":
                    _add(connection, run_id, file_id, passages, vectors)
                connection.execute("update meta set value = ? where name = 'watermark'", [str(seq)])
        except sqlite3.Error as error:
            hint = "Free some space in the cache folder, or delete the index: it is made anew."
            raise StoreError(f"The search index cannot be written: {error}", hint=hint) from error

    def covers(self, file_ids: Collection[str]) -> bool:
        """Whether any of *file_ids* has passages."""
        sql = "select 1 from passages where file_id in (select value from json_each(?)) limit 1"
        return bool(self.rows(sql, json.dumps(list(file_ids))))

    def matrix(self, dimension: int) -> Matrix:
        """The vectors of that length, read once and kept until the index changes."""
        sql = """
            select passage_id, file_id, vector from passages where length(vector) = ? order by number
        """
        with self._lock:
            if dimension not in self._matrices:
                rows = self._connection.execute(sql, [dimension * 4])
                self._matrices[dimension] = Matrix.of((tuple(row) for row in rows), dimension)
            return self._matrices[dimension]

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """The rows that *sql* gives."""
        with self._lock:
            return [dict(row) for row in self._connection.execute(sql, parameters)]

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._connection.close()


def _usable(path: Path, workspace_id: str) -> sqlite3.Connection | None:
    """The index at *path* if it is whole, of this version and of this workspace."""
    if not path.exists():
        return None
    connection = _connect(path)
    try:
        (verdict,) = connection.execute("pragma quick_check(1)").fetchone()
        rows = connection.execute("select name, value from meta where name <> 'watermark'")
        told = {row["name"]: row["value"] for row in rows}
        if verdict == "ok" and told == {"version": VERSION, "workspace_id": workspace_id}:
            connection.execute("pragma journal_mode = wal")
            return connection
        reason = "it is of another version or workspace" if verdict == "ok" else verdict
    except sqlite3.DatabaseError as error:
        reason = str(error)
    connection.close()
    logger.warning("the search index is made anew: %s", reason)
    return None


def _new(path: Path, workspace_id: str) -> sqlite3.Connection:
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    connection = _connect(path)
    connection.execute("pragma journal_mode = wal")
    meta = [("version", VERSION), ("workspace_id", workspace_id), ("watermark", "0")]
    with connection:
        connection.executescript(f"begin; {_SCHEMA}")
        connection.executemany("insert into meta values (?, ?)", meta)
    return connection


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, check_same_thread=False)
    connection.row_factory = sqlite3.Row
    return connection


def _forget(connection: sqlite3.Connection, file_id: str) -> None:
    # An external-content table is told of a deletion by the text that was there (SQLite FTS5, 4.4.3).
    sql = """
        insert into words (words, rowid, text)
        select 'delete', number, text from passages where file_id = ?
    """
    connection.execute(sql, [file_id])
    connection.execute("delete from passages where file_id = ?", [file_id])


def _add(
    connection: sqlite3.Connection,
    run_id: str,
    file_id: str,
    passages: Sequence[dict[str, Any]],
    vectors: NDArray[np.float32] | None,
) -> None:
    names = "passage_id, row_id, file_id, run_id, kind, text, start_time, end_time, vector"
    sql = f"insert into passages ({names}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
    for place, passage in enumerate(passages):
        values = [passage["id"], passage["row_id"], file_id, run_id, passage["kind"]]
        values += [passage["text"], passage["start_time"], passage["end_time"]]
        values.append(None if vectors is None else np.asarray(vectors[place], np.float32).tobytes())
        number = connection.execute(sql, values).lastrowid
        connection.execute("insert into words (rowid, text) values (?, ?)", [number, passage["text"]])
