"""The engine in this process: it owns the store, the queue, the workers and the search index."""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.contract.chat import ChatCompletion
from vidbench.contract.collections import CollectionConfig, CollectionRecord
from vidbench.contract.describe import Describe
from vidbench.contract.engine import Rows, WorkspaceInfo
from vidbench.contract.ids import now_ms
from vidbench.contract.jobs import Events, JobRecord
from vidbench.contract.media import FileRecord
from vidbench.contract.models import ModelStatus
from vidbench.contract.segmentation import Segmentation, SegmentationConfig
from vidbench.contract.states import LIVE, State
from vidbench.contract.validation import parse
from vidbench.errors import ForkedProcess, InvalidInput, NotFound, NotReady
from vidbench.jobs.context import Context, LiveJob, Planned
from vidbench.jobs.conversation import converse
from vidbench.jobs.events import EventLog
from vidbench.jobs.indexing import catch_up
from vidbench.jobs.intake import take_in
from vidbench.jobs.pool import Pool
from vidbench.jobs.scheduler import MAX_DEATHS, Scheduler
from vidbench.jobs.stages import walk
from vidbench.jobs.wishes import chat_job, file_job, planned
from vidbench.models import statuses
from vidbench.operations import BY_NAME
from vidbench.resources import describe_of, retuned, rows_of, segmentation_of
from vidbench.store.jobs import Link

if TYPE_CHECKING:
    import pandas as pd

    from vidbench.store.store import Store


class LocalEngine:
    """One workspace, owned by this process.

    Args:
        folder: the workspace.
        store: its store, open.
        resume: whether jobs that an earlier owner left go on.
    """

    def __init__(self, folder: Path, store: Store, *, resume: bool = True) -> None:
        from vidbench.retrieval.index import Index, index_path

        self._folder = folder
        self._pid = os.getpid()
        self._asking = threading.Lock()
        self._store = store
        index = Index.open(index_path(store.workspace_id), store.workspace_id)
        self._context = Context(store, Pool(folder / "logs"), index, EventLog())
        self._scheduler = Scheduler(self._context, self._body)
        catch_up(self._context)
        self._recover(resume=resume)

    @property
    def store(self) -> Store:
        """The store, for tests and the endpoint; every call checks for a fork first.

        Raises:
            ForkedProcess: this is a forked child of the owner.
        """
        if os.getpid() != self._pid:
            raise ForkedProcess("This bench belongs to the parent process", hint="Open one in this process instead.")
        return self._store

    @property
    def pool(self) -> Pool:
        """The worker processes."""
        return self._context.pool

    def info(self) -> WorkspaceInfo:
        """The workspace and this process."""
        from importlib.metadata import version

        return WorkspaceInfo(
            workspace_id=self.store.workspace_id,
            path=str(self._folder),
            pid=self._pid,
            version=version("vidbench"),
        )

    def add_file(self, *, path: str) -> FileRecord:
        """Probe *path* in the media worker and take it in."""
        return take_in(self.store, self._context.pool, Path(path))

    def list_files(self) -> tuple[FileRecord, ...]:
        """Every file, oldest first."""
        return tuple(self.store.files.list())

    def get_file(self, *, name: str) -> FileRecord:
        """The file of that id, name or path."""
        return self.store.files.find(name)

    def submit(self, *, operation: str, subject_id: str, config: dict[str, Any]) -> JobRecord:
        """Ask for *operation*; an identical request joins the job that is there."""
        verb = BY_NAME.get(operation)
        if verb is None:
            raise InvalidInput(f"operation: no operation '{operation}'", hint=f"Known: {', '.join(BY_NAME)}.")
        wish: Any = parse(verb.config, config)
        if verb.subject == "collection":
            collection = self.store.collections.find(subject_id)
            return self._ask_for(chat_job(self.store, verb, wish, collection), ())
        file = self.store.files.find(subject_id)
        if verb.check is not None:
            verb.check(wish, file.facts)
        plan = planned(self.store, verb, wish, file)
        return self._ask_for(file_job(verb, wish, file, plan), plan)

    def get_job(self, *, job_id: str) -> JobRecord:
        """The job as it stands, with live progress while it runs."""
        record = self.store.jobs.get(job_id)
        if failure := self._scheduler.failure(job_id):
            return replace(record, state=State.FAILED, error=failure.message, error_kind="VidbenchError")
        live = self._scheduler.live(job_id)
        if live is None:
            return record
        progress = live.progress
        return replace(
            record,
            progress=progress.share,
            stage=progress.stage,
            eta_seconds=progress.eta_seconds if record.state is State.RUNNING else None,
            stages=tuple(live.reports.values()),
        )

    def list_jobs(self) -> tuple[JobRecord, ...]:
        """Every job, newest first."""
        return tuple(self.get_job(job_id=record.job_id) for record in self.store.jobs.list())

    def wait_events(self, *, job_id: str, after: int = 0, timeout: float = 0.0) -> Events:
        """The job and its events after number *after*; waits up to *timeout* seconds for one."""
        if self.get_job(job_id=job_id).state.ended:
            timeout = 0.0
        events = self._context.events.since(job_id, after, timeout)
        return Events(job=self.get_job(job_id=job_id), events=events)

    def cancel_job(self, *, job_id: str) -> JobRecord:
        """Stop a job; one that has ended stays as it is."""
        self.store.jobs.get(job_id)
        with self._asking:
            self._scheduler.cancel(job_id)
        return self.get_job(job_id=job_id)

    def read_rows(self, *, file_id: str, table: str, job_id: str = "") -> Rows:
        """Rows of the file's current run, or of the run that *job_id* makes."""
        return rows_of(self.store, self.store.files.find(file_id).file_id, table, job_id)

    def get_describe(self, *, job_id: str) -> Describe:
        """The description a job made, as far as it is."""
        job = self.get_job(job_id=job_id)
        if job.operation != "describe":
            raise NotFound(f"Job {job_id} is no description but a {job.operation}")
        return describe_of(self.store, job, self.store.files.get(job.subject_id))

    def current_describe(self, *, file_id: str) -> Describe:
        """What a file shows now: the current run of each part; before there is one, what is being made."""
        file = self.store.files.find(file_id)
        jobs = [job for job in self.store.jobs.list() if job.operation == "describe" and job.subject_id == file.file_id]
        finished = [job for job in jobs if job.state is State.COMPLETED]
        if not jobs:
            raise NotReady(f"{file.filename} has not been described yet", hint="Run file.describe() first.")
        return describe_of(self.store, (finished or jobs)[0], file, current=True)

    def get_segmentation(self, *, segmentation_id: str, limit: int = 50, offset: int = 0) -> Segmentation:
        """A segmentation with a page of its segments."""
        return segmentation_of(self.store, segmentation_id, limit, offset)

    def retune(self, *, segmentation_id: str, config: SegmentationConfig) -> Segmentation:
        """The same shots with another config, from the stored curve."""
        return retuned(self.store, segmentation_id, config)

    def list_collections(self) -> tuple[CollectionRecord, ...]:
        """Every collection, the built-in one first."""
        return tuple(self.store.collections.list())

    def create_collection(self, *, config: CollectionConfig) -> CollectionRecord:
        """A new collection."""
        return self.store.collections.create(parse(CollectionConfig, config))

    def get_collection(self, *, name: str) -> CollectionRecord:
        """The collection of that id or name."""
        return self.store.collections.find(name)

    def add_to_collection(self, *, collection_id: str, file_ids: tuple[str, ...]) -> CollectionRecord:
        """Put files into a collection."""
        collection = self.store.collections.find(collection_id)
        self.store.collections.add(collection.id, [self.store.files.find(name).file_id for name in file_ids])
        return self.store.collections.find(collection.id)

    def get_chat(self, *, chat_id: str) -> ChatCompletion:
        """A stored chat completion."""
        return self.store.chats.get(chat_id)

    def list_chats(self, *, collection_id: str = "", limit: int = 50) -> tuple[ChatCompletion, ...]:
        """Chat completions, newest first."""
        return tuple(self.store.chats.list(collection_id, limit))

    def query(
        self,
        *,
        sql: str,
        parameters: list[Any] | dict[str, Any] | None = None,
        frames: Mapping[str, pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """One SELECT over the friendly views."""
        from vidbench.store.query import query

        return query(self.store, sql, parameters, frames or {})

    def list_models(self) -> tuple[ModelStatus, ...]:
        """The catalogue, and what of it is here."""
        return statuses()

    def thumbnail(self, *, file_id: str, seconds: float | None = None) -> bytes:
        """The stored picture nearest to *seconds*, as JPEG; the poster where no time is given.

        Raises:
            NotReady: the file was never scanned, or has no pictures.
        """
        file = self.store.files.find(file_id)
        wanted = "poster" if seconds is None else "thumbnail"
        rows = [row for row in rows_of(self.store, file.file_id, "thumbnails").rows if row["kind"] == wanted]
        if not rows:
            raise NotReady(f"{file.filename} has no pictures yet", hint="Run file.describe() first.")
        nearest = min(rows, key=lambda row: abs(row["time"] - (seconds or 0.0)))
        path: Path = self.store.artifacts.folder(file.fingerprint, nearest["run_id"]) / nearest["path"]
        return path.read_bytes()

    def close(self) -> None:
        """Interrupt what runs, end the workers, close index and store."""
        self._scheduler.close()
        self._context.pool.close()
        self._context.index.close()
        self._store.close()

    def _ask_for(self, record: JobRecord, plan: tuple[Planned, ...]) -> JobRecord:
        """Start *record*, or go on with the job that an equal wish made before."""
        with self._asking:
            earlier = self.store.jobs.by_key(record.key)
            if earlier is not None:
                return self._again(earlier, plan)
            self.store.jobs.create(record, [Link(one.step.stage, one.run_id) for one in plan])
            self._scheduler.add(record)
            return record

    def _again(self, earlier: JobRecord, plan: tuple[Planned, ...]) -> JobRecord:
        """Join a live job, show a completed one, start a new attempt of one that stopped or was left."""
        if earlier.state in LIVE and self._scheduler.live(earlier.job_id):
            return self.get_job(job_id=earlier.job_id)
        if earlier.state in {State.COMPLETED, State.NOT_APPLICABLE}:
            for one in plan:
                self.store.runs.show_again(one.run_id)
            return earlier
        self.store.jobs.forgive(earlier.job_id)
        moved = self.store.jobs.transition(
            earlier.job_id,
            expect={earlier.state},
            to=State.QUEUED,
            error="",
            error_kind="",
            hint="",
            finished_at=None,
        )
        record = self.store.jobs.get(earlier.job_id)
        if moved:
            self._scheduler.add(record)
        return record

    def _body(self, live: LiveJob) -> str:
        """One attempt of a job: what it made, by id."""
        verb = BY_NAME[live.record.operation]
        if verb.subject == "collection":
            return converse(self._context, live, self.store.collections.find(live.record.subject_id)).id
        file = self.store.files.get(live.record.subject_id)
        plan = planned(self.store, verb, parse(verb.config, live.record.config), file)
        for ordinal, one in enumerate(plan):  # a model or prompt may be another than at the last attempt
            self.store.jobs.link_run(live.record.job_id, one.step.stage, ordinal, one.run_id)
        walk(self._context, live, file, plan)
        catch_up(self._context)
        made = next((one.run_id for one in plan if one.step.stage == "segmentation"), "")
        return made if verb.name == "segment" else ""

    def _recover(self, *, resume: bool) -> None:
        """Close the attempts that died with the last owner; queue what may go on."""
        jobs = self._store.jobs
        jobs.close_open_attempts("died")
        for record in jobs.unfinished():
            if jobs.deaths(record.job_id) >= MAX_DEATHS:
                why = "Two attempts ended in the death of a process"
                hint = "Ask again to try once more; the logs folder of the workspace has the details."
                facts: dict[str, Any] = {"error": why, "hint": hint, "error_kind": "WorkerDied"}
                jobs.transition(record.job_id, expect=LIVE, to=State.FAILED, finished_at=now_ms(), **facts)
            elif not resume or record.operation == "chat":
                jobs.transition(record.job_id, expect=LIVE, to=State.INTERRUPTED)
            else:
                jobs.transition(record.job_id, expect=LIVE, to=State.QUEUED)
                self._scheduler.add(jobs.get(record.job_id))
