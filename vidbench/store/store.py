"""The DuckDB file of a workspace: opened by one process, written by one thread, read through a cursor a call."""

from __future__ import annotations

import logging
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.errors import ForkedProcess, StoreError, WorkspaceBusy
from vidbench.store.artifacts import Artifacts
from vidbench.store.chats import Chats
from vidbench.store.collections import Collections
from vidbench.store.files import Files
from vidbench.store.jobs import Jobs
from vidbench.store.outbox import Outbox
from vidbench.store.runs import Runs
from vidbench.store.schema import EVERYTHING_ID, migrate
from vidbench.store.writer import Writer, first_line, told

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Cursor

__all__ = ["EVERYTHING_ID", "FILE_NAME", "Store", "rows_of"]

T = TypeVar("T")
FILE_NAME = "store.duckdb"
MEMORY_LIMIT = "2GB"
"""DuckDB's own default is 80 % of the machine, which the models need."""
THREADS = 2
CLOSING_SECONDS = 5.0
"""How long closing waits for readers, which it interrupts."""

logger = logging.getLogger(__name__)
_held: set[tuple[int, Path]] = set()
_holding = threading.Lock()


class Store:
    """An open workspace; made by ``Store.open``.

    Attributes:
        workspace_id: UUID of the workspace.
        folder: the workspace.

    Example:
        >>> import tempfile
        >>> store = Store.open(Path(tempfile.mkdtemp()))
        >>> [collection.name for collection in store.collections.list()]
        ['all']
        >>> store.close()
    """

    def __init__(self, folder: Path, connection: Cursor) -> None:
        self.folder = folder
        self._pid = os.getpid()
        self._connection = connection
        self._readers: set[Cursor] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._writer = Writer(connection.cursor())
        sql = "select value from base.meta where name = 'workspace_id'"
        self.workspace_id: str = self.row(sql)["value"]
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
            WorkspaceBusy: another process, or another store of this one, holds it.
            StoreError: the folder or the file cannot be used.
        """
        with ExitStack() as undo:
            undo.callback(_release, _hold(folder))
            connection = _connect(folder)
            undo.callback(connection.close)
            _prepare(connection, folder / FILE_NAME)
            store = cls(folder, connection)
            store.artifacts.sweep()
            undo.pop_all()
        return store

    def write(self, change: Callable[[Cursor], T], *, urgent: bool = True) -> Future[T]:
        """Let the writer thread run *change* in a transaction.

        Args:
            change: what to do; may be run a second time if a write of the same group failed.
            urgent: whether it is committed as soon as the writer is free, rather than within 250 ms.

        Returns:
            the answer of *change*, there once it is committed.

        Raises:
            StoreError: the workspace was closed.
            ForkedProcess: the store was opened by the parent of this process.
        """
        self._check_process()
        return self._writer.put(change, urgent=urgent)

    @contextmanager
    def read(self) -> Iterator[Cursor]:
        """A cursor of its own for one call; what DuckDB raises inside comes out as a StoreError."""
        import duckdb

        cursor = self._reader()
        try:
            yield cursor
        except duckdb.Error as error:
            raise told(error) from error
        except RuntimeError as error:  # what DuckDB makes of a Ctrl-C that arrives in the middle of a query
            if "Query interrupted" in str(error):
                raise KeyboardInterrupt from error
            raise
        finally:
            with self._lock:
                self._readers.discard(cursor)
            cursor.close()

    def rows(self, sql: str, *parameters: Any) -> list[dict[str, Any]]:
        """The rows that *sql* gives, as mappings."""
        with self.read() as cursor:
            return rows_of(cursor.execute(sql, list(parameters)))

    def row(self, sql: str, *parameters: Any) -> dict[str, Any]:
        """The first row that *sql* gives; empty where there is none."""
        return next(iter(self.rows(sql, *parameters)), {})

    def close(self) -> None:
        """Commit what was asked for, interrupt who reads, and let go of the file. Twice is once."""
        self._check_process()
        with self._lock:
            if self._closed:
                return
            self._closed = True
        self._writer.close()
        self._wait_for_readers()
        self._connection.close()
        _release((self._pid, self.folder.resolve()))

    def _reader(self) -> Cursor:
        self._check_process()
        with self._lock:  # the connection itself is never used by two threads at once
            if self._closed:
                raise StoreError("The workspace is closed", hint="Open it again.")
            cursor = self._connection.cursor()
            self._readers.add(cursor)
        return cursor

    def _wait_for_readers(self) -> None:
        deadline = time.monotonic() + CLOSING_SECONDS
        while time.monotonic() < deadline:
            with self._lock:
                if not self._readers:
                    return
                for cursor in self._readers:
                    cursor.interrupt()
            time.sleep(0.01)
        logger.warning("%s: a reader did not let go", self.folder)

    def _check_process(self) -> None:
        if os.getpid() != self._pid:
            hint = "Open the workspace in this process instead."
            raise ForkedProcess("This store belongs to the parent process", hint=hint)


def rows_of(result: Cursor) -> list[dict[str, Any]]:
    """The rows of a result as mappings."""
    names = [column[0] for column in result.description or ()]
    return [dict(zip(names, row, strict=True)) for row in result.fetchall()]


def _hold(folder: Path) -> tuple[int, Path]:
    """Note that this process has *folder* open; DuckDB itself lets a process open a file twice."""
    key = (os.getpid(), folder.resolve())
    with _holding:
        if key in _held:
            hint = "Use the bench that is open, or close it first."
            raise WorkspaceBusy(f"{folder} is open in this process already", hint=hint)
        if any(folder.resolve() == held for _, held in _held):
            raise ForkedProcess(
                f"{folder} was open in the parent of this process",
                hint="Start a fresh process instead (subprocess, or multiprocessing with 'spawn').",
            )
        _held.add(key)
    return key


def _release(key: tuple[int, Path]) -> None:
    with _holding:
        _held.discard(key)


def _connect(folder: Path) -> Cursor:
    import duckdb

    file = str(folder / FILE_NAME)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return duckdb.connect(file, config=_settings())
    except OSError as error:
        raise StoreError(f"{folder} cannot be used: {error.strerror}", file=str(folder)) from error
    except duckdb.Error as error:
        if "Could not set lock on file" in str(error):
            raise _busy(folder, re.search(r"PID (\d+)", str(error))) from error
        raise _unusable(file, error) from error


def _busy(folder: Path, pid: re.Match[str] | None) -> WorkspaceBusy:
    who = f"process {pid[1]}" if pid else "another process"
    return WorkspaceBusy(f"{folder} is owned by {who}", hint="Close it there, or work through it.", file=str(folder))


def _unusable(file: str, error: Exception) -> StoreError:
    line = first_line(error)
    damaged = not line.startswith("IO Error: Cannot open file")
    hint = "Restore a copy of it, or open another folder." if damaged else "Check who may write it."
    return StoreError(f"{file} cannot be opened: {line}", hint=hint, file=file)


def _prepare(connection: Cursor, file: Path) -> None:
    """Bring the schema up to date, and take SQL every way to a file, the network and Python's variables."""
    import duckdb

    try:
        migrate(connection)
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
    except duckdb.Error as error:
        raise _unusable(str(file), error) from error


def _settings() -> dict[str, str | bool | int | float | list[str]]:
    return {
        "memory_limit": MEMORY_LIMIT,
        "threads": THREADS,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "python_enable_replacements": False,
    }
