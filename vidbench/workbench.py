"""The workbench: what a user opens. Its engine is in this process if it owns the workspace, else over HTTP."""

from __future__ import annotations

import atexit
import inspect
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

from vidbench import ownership
from vidbench.contract.collections import CollectionConfig
from vidbench.contract.engine import Engine
from vidbench.errors import ForkedProcess, InvalidInput, MissingExtra, NotFound, VidbenchError, WorkspaceBusy
from vidbench.handles import Chat, Collection, File, Files, Job, Jobs, Table
from vidbench.places import media_paths, warn_about

if TYPE_CHECKING:
    import pandas as pd

    from vidbench.contract.jobs import JobRecord

DEFAULT_WORKSPACE = "vidbench-workspace"
REACH_SECONDS = 10.0
"""How long an owner that is just opening or closing is waited for."""

logger = logging.getLogger(__name__)

_OPEN: dict[Path, Workbench] = {}
_OPENING = threading.RLock()


class Workbench:
    """A workspace: files, collections, jobs, and SQL over all that was found.

    Args:
        folder: the workspace's folder.
        exclusive: refuse to share: raise if another process owns it.
        resume: whether jobs that an earlier owner left go on.
        may_own: whether this process may become the owner.

    Example:
        >>> with vb.open("talks") as bench:  # doctest: +SKIP
        ...     bench.add("keynote.mp4").describe().result()
    """

    def __init__(self, folder: Path, *, exclusive: bool, resume: bool, may_own: bool = True) -> None:
        self.folder = folder
        self._pid = os.getpid()
        self._exclusive = exclusive
        self._resume = resume
        self._may_own = may_own
        self._endpoint: Any = None
        self._owner: ownership.Owner | None = None
        self._closed = False
        self._engine = self._reach()

    @property
    def engine(self) -> Engine:
        """The engine that answers now; taken over if its owner went away.

        Raises:
            ForkedProcess: this is a forked child.
            VidbenchError: the bench was closed.
        """
        if os.getpid() != self._pid:
            raise ForkedProcess("This bench belongs to the parent process", hint="Open one in this process instead.")
        if self._closed:
            raise VidbenchError("This bench is closed", hint="Open it again with vb.open().")
        if self._left():
            with _OPENING:
                if self._left():
                    self._engine.close()
                    self._engine = self._reach()
        return self._engine

    @property
    def owns(self) -> bool:
        """Whether this process holds the data."""
        return self._owner is None

    def add(self, path: str | Path) -> File:
        """Take one file in. The same content gives the same file; the media stay where they are.

        Raises:
            InvalidInput: there is no such file.
            MediaError: it holds no video or sound that can be read.
        """
        return File(self, self.engine.add_file(path=str(Path(path).expanduser().absolute())))

    def add_all(self, source: str | Path | Sequence[str | Path]) -> Files:
        """Take in all files of a folder, a glob pattern or a list; what cannot be read is listed as skipped.

        Raises:
            InvalidInput: nothing matches.
        """
        records, skipped = [], []
        for path in media_paths(source):
            try:
                records.append(self.engine.add_file(path=str(path)))
            except InvalidInput as error:
                skipped.append((path.name, str(error)))
        return Files(self, records, skipped)

    @property
    def files(self) -> Files:
        """Every file of the workspace."""
        return Files(self, self.engine.list_files())

    @property
    def jobs(self) -> Jobs:
        """Every job, newest first."""
        return Jobs([self._job(record) for record in self.engine.list_jobs()])

    @property
    def collections(self) -> Table[Any]:
        """Every collection."""
        return Table(self.engine.list_collections())

    def collection(self, name: str = "all", *, description: str | None = None) -> Collection:
        """The collection *name*, made if absent (media-descriptions)."""
        try:
            return Collection(self, name)
        except NotFound:
            self.engine.create_collection(config=CollectionConfig(name=name, description=description))
            return Collection(self, name)

    def sql(
        self,
        query: str,
        parameters: Sequence[Any] | Mapping[str, Any] | None = None,
        **frames: pd.DataFrame,
    ) -> pd.DataFrame:
        """Run one SELECT over everything that was found.

        DataFrames are tables: given as keyword arguments, or by the name they have where this is called.

        Args:
            query: one SELECT, in DuckDB's dialect.
            parameters: values for ``?`` (a list) or ``$name`` (a mapping).
            frames: DataFrames by name.

        Raises:
            InvalidInput: it is not one SELECT, or names what does not exist.

        Example:
            >>> bench.sql("select * from speech where text ilike ?", ["%licence%"])  # doctest: +SKIP
        """
        found = _frames_in(inspect.currentframe(), query) | frames
        values = list(parameters) if isinstance(parameters, Sequence) else dict(parameters) if parameters else None
        return self.engine.query(sql=query, parameters=values, frames=found)

    def close(self) -> None:
        """Let go. If this process owns the workspace, running jobs are interrupted and go on at the next open."""
        if self._closed or os.getpid() != self._pid:
            return
        self._closed = True
        if _OPEN.get(self.folder) is self:
            del _OPEN[self.folder]
        self._release()

    def __enter__(self) -> Workbench:
        """The bench itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close."""
        self.close()

    def __repr__(self) -> str:
        how = "owned by this process" if self.owns else f"through its owner, process {self._owner and self._owner.pid}"
        return f"Workbench({str(self.folder)!r}, {how})"

    def _job(self, record: JobRecord) -> Job[Any]:
        if record.operation == "chat":
            return Chat(self, record.subject_id).job_of(record)
        file = File(self, self.engine.get_file(name=record.subject_id))
        return Job(self, record, file.description_of if record.operation == "describe" else file.segments_of)

    def _left(self) -> bool:
        """Whether the owner this bench works through has died, or has closed the workspace."""
        return self._owner is not None and (not self._owner.alive or ownership.read(self.folder) != self._owner)

    def _reach(self) -> Engine:
        """Own the workspace if nobody does, else connect to who does; an owner may be coming or going just now."""
        deadline = time.monotonic() + REACH_SECONDS
        while True:
            engine = self._own() or self._connect()
            if engine is not None:
                return engine
            if not self._may_own or time.monotonic() > deadline:
                raise self._unreachable()
            time.sleep(0.1)

    def _own(self) -> Engine | None:
        """The engine of this process, if nobody else holds the workspace."""
        if not self._may_own:
            return None
        from vidbench.local import LocalEngine
        from vidbench.store.store import Store

        try:
            store = Store.open(self.folder)
        except WorkspaceBusy:
            if self._exclusive:
                raise self._busy() from None
            return None
        self._owner = None
        try:
            engine = LocalEngine(self.folder, store, resume=self._resume)
        except BaseException:
            store.close()
            raise
        self._announce(engine)
        return engine

    def _announce(self, engine: Engine) -> None:
        """Listen on loopback and say where; without the server extra, only say who owns."""
        token = ownership.new_token()
        try:
            self._endpoint = _face("server").start(engine, token)
        except MissingExtra as error:
            logger.info("no endpoint: %s", error)
        url = self._endpoint.url if self._endpoint else ""
        try:
            ownership.announce(self.folder, ownership.this_process(url, token))
        except OSError as error:  # on a full disk one can still read; only others do not find the way
            logger.warning(
                "other processes cannot find this one: %s cannot be written: %s", self.folder, error.strerror
            )

    def _connect(self) -> Engine | None:
        """The engine of the owner, if there is one that listens."""
        from vidbench.remote import RemoteEngine

        owner = ownership.read(self.folder)
        if owner is None or not owner.alive or not owner.url:
            return None
        self._owner = owner
        return RemoteEngine(owner.url, owner.token)

    def _unreachable(self) -> WorkspaceBusy:
        owner = ownership.read(self.folder)
        if owner is None or not owner.alive:
            return WorkspaceBusy(f"Nobody answers for {self.folder}", hint="Open it with vb.open(), or try again.")
        return WorkspaceBusy(
            f"{self.folder} is owned by process {owner.pid}, which cannot be reached",
            hint="Close it there, or install the server extra there: pip install 'vidbench[server]'",
        )

    def _busy(self) -> WorkspaceBusy:
        owner = ownership.read(self.folder)
        holder = f"process {owner.pid}" if owner else "another process"
        return WorkspaceBusy(f"{self.folder} is owned by {holder}", hint="Close it there, or open without exclusive.")

    def _release(self) -> None:
        if self.owns:
            ownership.withdraw(self.folder)
            if self._endpoint is not None:
                self._endpoint.stop()
        self._engine.close()


def open_workbench(
    path: str | Path | None = None,
    *,
    exclusive: bool = False,
    resume: bool = True,
    announce: Callable[[str], object] = print,
) -> Workbench:
    """Open a workspace, made if absent. In the same process, the same path gives the same bench.

    Args:
        path: the workspace's folder; None means ``VIDBENCH_WORKSPACE``, else ``./vidbench-workspace``.
        exclusive: raise if another process owns it, instead of working through that process.
        resume: whether jobs that an earlier owner left go on.
        announce: told in one line if the bench works through another process.

    Raises:
        WorkspaceBusy: another process owns it, and it was asked for exclusively or cannot be reached.
        StoreError: the folder cannot be used.
    """
    folder = _folder(path)
    with _OPENING:
        bench = _OPEN.get(folder)
        if bench is None or bench._pid != os.getpid():  # noqa: SLF001 - our own
            warn_about(folder)
            bench = _OPEN[folder] = Workbench(folder, exclusive=exclusive, resume=resume)
            if not bench.owns:
                announce(f"{folder} is owned by another process: working through it.")
        elif exclusive and not bench.owns:
            raise bench._busy()  # noqa: SLF001 - our own
        return bench


def connect(path: str | Path | None = None) -> Workbench:
    """Work through the process that owns the workspace; never own it.

    Raises:
        WorkspaceBusy: nobody owns it, or the owner cannot be reached.
    """
    return Workbench(_folder(path), exclusive=False, resume=False, may_own=False)


def _folder(path: str | Path | None) -> Path:
    return Path(path or os.environ.get("VIDBENCH_WORKSPACE") or DEFAULT_WORKSPACE).expanduser().resolve()


def _face(name: str) -> Any:
    """What *name* of the entry-point group ``vidbench.faces`` offers.

    Raises:
        MissingExtra: nothing of that name is installed.
    """
    from importlib.metadata import entry_points

    for entry in entry_points(group="vidbench.faces", name=name):
        return entry.load()
    raise MissingExtra.of(f"the {name} face", name)


def _frames_in(frame: FrameType | None, query: str) -> dict[str, pd.DataFrame]:
    """DataFrames that *query* names and that the caller of ``sql`` has under that name."""
    import sys

    pandas = sys.modules.get("pandas")
    caller = frame.f_back if frame else None
    if pandas is None or caller is None:
        return {}
    from vidbench.store.query import table_names

    scope = {**caller.f_globals, **caller.f_locals}
    return {name: scope[name] for name in table_names(query) if isinstance(scope.get(name), pandas.DataFrame)}


@atexit.register
def _close_all() -> None:
    for bench in list(_OPEN.values()):
        bench.close()
