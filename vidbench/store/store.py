"""The DuckDB file of a workspace: opened by one process, written by one thread, read through a cursor a call."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.contract.ids import fresh_id, now_ms, stable_id
from vidbench.errors import StoreError, WorkspaceBusy

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Cursor

T = TypeVar("T")
FILE_NAME = "store.duckdb"
GROUP_SECONDS = 0.25
"""Writes that nobody hurries are gathered for so long into one transaction."""
MEMORY_LIMIT = "2GB"
THREADS = 2
EVERYTHING_ID = stable_id("collection", "all")

logger = logging.getLogger(__name__)


class Store:
    """An open workspace; made by ``Store.open``.

    Attributes:
        workspace_id: UUID of the workspace.
        folder: the workspace.
    """

    def __init__(self, folder: Path, connection: Cursor) -> None:
        from vidbench.store.artifacts import Artifacts
        from vidbench.store.chats import Chats
        from vidbench.store.collections import Collections
        from vidbench.store.files import Files
        from vidbench.store.jobs import Jobs
        from vidbench.store.outbox import Outbox
        from vidbench.store.runs import Runs

        self.folder = folder
        self._connection = connection
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._closed = False
        self._writer = threading.Thread(target=self._serve, daemon=True, name="vidbench-writer")
        self._writer.start()
        self.workspace_id: str = self.row("select value from base.meta where name = 'workspace_id'")["value"]
        self.files = Files(self)
        self.jobs = Jobs(self)
        self.runs = Runs(self)
        self.collections = Collections(self)
        self.chats = Chats(self)
        self.outbox = Outbox(self)
        self.artifacts = Artifacts(self, folder / "artifacts")

    @classmethod
    def open(cls, folder: Path) -> Store:
        """Open the store of *folder*, made or brought up to date if need be.

        Raises:
            WorkspaceBusy: another process holds it.
            StoreError: the folder or the file cannot be used.
        """
        import duckdb

        try:
            folder.mkdir(parents=True, exist_ok=True)
            connection = duckdb.connect(str(folder / FILE_NAME), config=_settings())
        except OSError as error:
            raise StoreError(f"{folder} cannot be used: {error.strerror}", file=str(folder)) from error
        except duckdb.IOException as error:
            if "lock" in str(error).lower():
                raise WorkspaceBusy(f"{folder} is owned by another process") from error
            raise StoreError(f"{folder} cannot be opened: {_first_line(error)}", file=str(folder)) from error
        except duckdb.Error as error:
            hint = "Restore a copy, or open another folder."
            raise StoreError(f"{folder / FILE_NAME} is damaged: {_first_line(error)}", hint=hint) from error
        try:
            migrate(connection)
        except StoreError:
            connection.close()
            raise
        # From here on SQL can reach no file and no network, and nobody can switch that back on.
        connection.execute("set enable_external_access = false; set lock_configuration = true")
        store = cls(folder, connection)
        store.artifacts.sweep()
        return store

    def write(self, change: Callable[[Cursor], T], *, urgent: bool = True) -> Future[T]:
        """Let the writer thread run *change* in a transaction.

        Args:
            change: what to do; may be run a second time if a write of the same group failed.
            urgent: whether it is committed at once, rather than within about 250 ms.

        Returns:
            the answer of *change*, there once it is committed.
        """
        item = _Write(change, urgent)
        if self._closed:
            raise StoreError("The workspace is closed", hint="Open it again.")
        self._queue.put(item)
        return item.done

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        """A cursor of its own for one call."""
        cursor = self._connection.cursor()
        try:
            yield cursor
        finally:
            cursor.close()

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """The rows that *sql* gives, as mappings."""
        with self.read() as cursor:
            return rows_of(cursor.execute(sql, list(parameters)))

    def row(self, sql: str, *parameters: Any) -> dict[str, Any]:
        """The first row that *sql* gives; empty where there is none."""
        return next(iter(self.rows(sql, *parameters)), {})

    def close(self) -> None:
        """Commit what was asked for, and close the file."""
        if self._closed:
            return
        self._closed = True
        self._queue.put(None)
        self._writer.join(timeout=10)
        self._connection.close()

    def _serve(self) -> None:
        cursor = self._connection.cursor()
        while (group := self._gathered()) is not None:
            if not _commit(cursor, group):
                for item in group:
                    _commit(cursor, [item], report=True)
        cursor.close()

    def _gathered(self) -> list[_Write] | None:
        """The next writes that belong into one transaction; None at the end."""
        first = self._queue.get()
        if first is None:
            return None
        group, deadline = [first], time.monotonic() + GROUP_SECONDS
        while not group[-1].urgent:
            try:
                item = self._queue.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if item is None:
                self._queue.put(None)
                break
            group.append(item)
        return group


class _Write:
    def __init__(self, change: Callable[[Cursor], Any], urgent: bool) -> None:  # noqa: FBT001 - our own
        self.change = change
        self.urgent = urgent
        self.done: Future[Any] = Future()


def _commit(cursor: Cursor, group: list[_Write], *, report: bool = False) -> bool:
    """Run *group* in one transaction; a failure undoes it all, and with *report* reaches who asked."""
    try:
        cursor.begin()
        answers = [item.change(cursor) for item in group]
        cursor.commit()
    except Exception as error:  # noqa: BLE001 - it becomes the answer of the write that failed
        _roll_back(cursor)
        if report or len(group) == 1:
            group[0].done.set_exception(_told(error))
        return len(group) == 1
    for item, answer in zip(group, answers, strict=True):
        item.done.set_result(answer)
    return True


def _roll_back(cursor: Cursor) -> None:
    import duckdb

    try:
        cursor.rollback()
    except duckdb.Error:  # no transaction was open any more
        logger.debug("nothing to roll back")


def _told(error: Exception) -> Exception:
    import duckdb

    if isinstance(error, duckdb.IOException | duckdb.OutOfMemoryException):
        hint = "Free some space on the workspace's disk, then ask again."
        return StoreError(f"The workspace cannot be written: {_first_line(error)}", hint=hint)
    return error


def migrate(connection: Cursor) -> None:
    """Apply the numbered migrations that the file has not seen, each in a transaction.

    Raises:
        StoreError: the file was written by a newer vidbench.
    """
    folder = resources.files("vidbench.store") / "migrations"
    steps = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    version = _version(connection)
    if version > len(steps):
        raise StoreError(
            f"This workspace was written by a newer vidbench (schema {version}, known up to {len(steps)})",
            hint="Upgrade vidbench: pip install -U vidbench",
        )
    for number, step in enumerate(steps[version:], version + 1):
        connection.begin()
        connection.execute(step.read_text(encoding="utf-8"))
        if number == 1:
            _found(connection)
        connection.execute("insert or replace into base.meta values ('schema_version', ?)", [str(number)])
        connection.commit()


def _version(connection: Cursor) -> int:
    exists = connection.execute(
        "select count(*) from information_schema.tables where table_schema = 'base' and table_name = 'meta'"
    ).fetchone()
    if not exists or not exists[0]:
        return 0
    row = connection.execute("select value from base.meta where name = 'schema_version'").fetchone()
    return int(row[0]) if row else 0


def _found(connection: Cursor) -> None:
    """What a new workspace begins with: its id, and the collection that every file belongs to."""
    connection.execute("insert into base.meta values ('workspace_id', ?)", [fresh_id()])
    connection.execute(
        "insert into base.collections values (?, 'all', 'media-descriptions', 'Every file of the workspace', ?)",
        [EVERYTHING_ID, now_ms()],
    )


def rows_of(result: Cursor) -> list[dict[str, Any]]:
    """The rows of a result as mappings."""
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": THREADS,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__
