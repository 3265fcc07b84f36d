"""Files and the places where they lie."""

from __future__ import annotations

import difflib
import json
from pathlib import Path
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
        """The file of that id, path or name; what is an id or a path is never looked up as a name.

        Raises:
            NotFound: there is none; the hint names the closest.
            InvalidInput: several have that name.
        """
        text = name.encode(errors="replace").decode()
        rows = self._store.rows(f"{_SELECT} where f.file_id = ?", text)
        rows = rows or self._store.rows(f"{_SELECT} where p.path in (?, ?)", text, _absolute(text))
        rows = rows or self._store.rows(f"{_SELECT} where f.filename = ? order by 1", text)
        if len(rows) > 1:
            raise InvalidInput(
                f"{text}: {len(rows)} files have that name",
                hint=f"Give the path or the id: {', '.join(row['path'] or row['file_id'] for row in rows)}.",
                field="name",
            )
        if not rows:
            raise NotFound(f"There is no file '{text}' in this workspace", hint=self._close_to(text), file=text)
        return _record(rows[0])

    def list(self) -> tuple[FileRecord, ...]:
        """Every file, oldest first."""
        rows = self._store.rows(f"{_SELECT} order by f.created_at, f.file_id")
        return tuple(_record(row) for row in rows)

    def _close_to(self, name: str) -> str:
        known = [row["filename"] for row in self._store.rows("select filename from base.files")]
        close = difflib.get_close_matches(name[:255], known, n=3)
        return f"Did you mean {' or '.join(close)}?" if close else "Add it first: bench.add(path)."


def _absolute(name: str) -> str:
    try:
        return str(Path(name).expanduser().absolute())
    except (ValueError, RuntimeError):  # a home folder that nobody has
        return name


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
