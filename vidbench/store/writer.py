"""The one thread that writes: changes in the order they came, grouped into transactions."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.errors import StoreError, VidbenchError

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection as Cursor

T = TypeVar("T")
GROUP_SECONDS = 0.25
"""Writes that nobody waits for are gathered for so long into one transaction."""
GROUP_SIZE = 200
"""As many writes as one transaction takes at most."""

logger = logging.getLogger(__name__)


class Writer:
    """Runs changes on a cursor of its own, one transaction after the other.

    Whatever is queued when a transaction begins goes into it, so writers that come together share one
    commit. Nobody waits for company: a commit takes about 2 ms, and a stage waits for its answer.

    Args:
        cursor: used by the writing thread alone, and closed by it.
    """

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._queue: queue.SimpleQueue[_Write | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._serve, daemon=True, name="vidbench-writer")
        self._thread.start()

    def put(self, change: Callable[[Cursor], T], *, urgent: bool) -> Future[T]:
        """Queue *change*; see ``Store.write``.

        Raises:
            StoreError: the writer was closed.
        """
        item = _Write(change, urgent=urgent)
        with self._lock:  # nothing may be queued behind the end
            if self._closed:
                raise StoreError("The workspace is closed", hint="Open it again.")
            self._queue.put(item)
        return item.done

    def close(self) -> None:
        """Commit what was queued, and end the thread."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)
        self._thread.join()

    def _serve(self) -> None:
        while (group := self._gathered()) is not None:
            self._commit([item for item in group if item.done.set_running_or_notify_cancel()])
        self._cursor.close()

    def _gathered(self) -> list[_Write] | None:
        """The next writes that belong into one transaction; None at the end."""
        item = self._queue.get()
        if item is None:
            return None
        group, deadline = [item], time.monotonic() + GROUP_SECONDS
        while len(group) < GROUP_SIZE:
            hurry = any(one.urgent for one in group)
            try:
                item = self._queue.get(timeout=0 if hurry else max(0, deadline - time.monotonic()))
            except queue.Empty:
                break
            if item is None:
                self._queue.put(None)
                break
            group.append(item)
        return group

    def _commit(self, group: list[_Write]) -> None:
        """Write *group* in one transaction; if that fails, each alone, so that only the culprit fails."""
        error = self._attempt(group)
        if error is not None and len(group) == 1:
            group[0].done.set_exception(told(error))
        elif error is not None:
            for item in group:
                self._commit([item])

    def _attempt(self, group: list[_Write]) -> Exception | None:
        try:
            self._cursor.begin()
            answers = [item.change(self._cursor) for item in group]
            self._cursor.commit()
        except Exception as error:  # noqa: BLE001 - it becomes the answer of the write that failed
            self._roll_back()
            return error
        for item, answer in zip(group, answers, strict=True):
            item.done.set_result(answer)
        return None

    def _roll_back(self) -> None:
        import duckdb

        try:
            self._cursor.rollback()
        except duckdb.Error:  # a commit that fails has rolled back already
            logger.debug("no transaction was open any more")


class _Write:
    def __init__(self, change: Callable[[Cursor], Any], *, urgent: bool) -> None:
        self.change = change
        self.urgent = urgent
        self.done: Future[Any] = Future()


def told(error: Exception) -> Exception:
    """*error* as the family knows it: what DuckDB raises becomes a StoreError, all else stays."""
    import duckdb

    if isinstance(error, VidbenchError) or not isinstance(error, duckdb.Error):
        return error
    line = first_line(error)
    if isinstance(error, duckdb.FatalException | duckdb.InternalException):
        hint = "Close the workspace and open it again."
    elif "write" in line or "space" in line or isinstance(error, duckdb.OutOfMemoryException):
        hint = "Free some space on the workspace's disk, then ask again."
    else:
        hint = ""
    answer = StoreError(f"The workspace cannot be used: {line}", hint=hint)
    answer.__cause__ = error
    return answer


def first_line(error: Exception) -> str:
    """The first line of what *error* says."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
