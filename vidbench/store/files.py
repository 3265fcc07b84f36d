"""Files and the places where they lie."""

from __future__ import annotations

import difflib
import json
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms
from vidbench.contract.media import FileRecord, MediaFacts
from vidbench.contract.validation import parse, to_json
from vidbench.errors import InvalidInput, NotFound

if TYPE_CHECKING:
    from vidbench.store.store import Store

_SELECT = "select f.*, p.path from base.files f left join base.places p on p.file_id = f.file_id"


class Files:
    """The files of a workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, record: FileRecord, sha256: str | None = None) -> None:
        """Take *record* in; a file that is there stays as it is."""
        values = [record.file_id, record.fingerprint, sha256, record.filename, record.bytes]
        values += [json.dumps(to_json(record.facts)), record.created_at]
        sql = "insert or ignore into base.files values (?, ?, ?, ?, ?, ?, ?)"
        self._store.write(lambda cursor: cursor.execute(sql, values)).result()

    def seen(self, file_id: str, path: str, size: int, mtime_ns: int) -> None:
        """Note that *file_id* lies at *path* now, and nothing else does."""

        def change(cursor: Any) -> None:
            cursor.execute("delete from base.locations where path = ? and file_id <> ?", [path, file_id])
            values = [file_id, path, size, mtime_ns, now_ms()]
            cursor.execute("insert or replace into base.locations values (?, ?, ?, ?, ?)", values)

        self._store.write(change).result()

    def modified(self, file_id: str, path: str) -> int | None:
        """The modification time, in nanoseconds, that was last seen of the file at *path*."""
        sql = "select mtime_ns from base.locations where file_id = ? and path = ?"
        mtime: int | None = self._store.row(sql, file_id, path).get("mtime_ns")
        return mtime

    def get(self, file_id: str) -> FileRecord:
        """The file of that id.

        Raises:
            NotFound: there is none.
        """
        row = self._store.row(f"{_SELECT} where f.file_id = ?", file_id)
        if not row:
            raise NotFound(f"There is no file {file_id}")
        return _record(row)

    def find(self, name: str) -> FileRecord:
        """The file of that id, path or name.

        Raises:
            NotFound: there is none; the hint names the closest.
            InvalidInput: several have that name.
        """
        rows = self._store.rows(f"{_SELECT} where f.file_id = ? or p.path = ?", name, name)
        rows = rows or self._store.rows(f"{_SELECT} where f.filename = ?", name)
        if len(rows) > 1:
            paths = ", ".join(str(row["path"]) for row in rows)
            raise InvalidInput(f"{name}: {len(rows)} files have that name", hint=f"Give the path: {paths}.")
        if not rows:
            known = [row["filename"] for row in self._store.rows("select filename from base.files")]
            close = difflib.get_close_matches(name, known, n=3)
            hint = f"Did you mean {' or '.join(close)}?" if close else "Add it first: bench.add(path)."
            raise NotFound(f"There is no file '{name}' in this workspace", hint=hint, file=name)
        return _record(rows[0])

    def list(self) -> list[FileRecord]:
        """Every file, oldest first."""
        return [_record(row) for row in self._store.rows(f"{_SELECT} order by f.created_at, f.file_id")]


def _record(row: dict[str, Any]) -> FileRecord:
    facts: MediaFacts = parse(MediaFacts, json.loads(row["facts"]), strict_fields=False)
    return FileRecord(
        file_id=row["file_id"],
        fingerprint=row["fingerprint"],
        filename=row["filename"],
        path=row["path"] or "",
        bytes=row["bytes"],
        created_at=row["created_at"],
        facts=facts,
    )
