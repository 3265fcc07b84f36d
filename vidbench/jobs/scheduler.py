"""Every job's way from queued to its end: attempts, deaths, cancelling, resuming."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import replace

from vidbench.contract.ids import now_ms
from vidbench.contract.jobs import JobRecord
from vidbench.contract.states import LIVE, State
from vidbench.errors import Interrupted, VidbenchError, WorkerDied
from vidbench.jobs.context import Context, LiveJob
from vidbench.jobs.pool import BATCH, INTERACTIVE
from vidbench.jobs.stages import NotApplicable

MAX_DEATHS = 2
"""After so many attempts that ended in a death a job fails and is not resumed again."""
LANES = 3
"""Jobs in flight: perception of the next file runs beside the language work of the last."""

CLOSING_SECONDS = 3.0
"""How long closing waits for each job to notice."""

logger = logging.getLogger(__name__)
Body = Callable[[LiveJob], str]
"""What a job does; the answer is the id of what it made."""


class Scheduler:
    """The queue of a workspace.

    Args:
        context: the owner's parts.
        body: runs one attempt of a job.
    """

    def __init__(self, context: Context, body: Body) -> None:
        self._context = context
        self._body = body
        self._queue: queue.PriorityQueue[tuple[int, int, str]] = queue.PriorityQueue()
        self._numbers = itertools.count()
        self._live: dict[str, LiveJob] = {}
        self._lock = threading.Lock()
        self._threads: list[threading.Thread] = []
        self._closing = threading.Event()
        self._lanes = 0
        self._failures: dict[str, VidbenchError] = {}

    def add(self, record: JobRecord) -> None:
        """Queue a job that stands as queued in the store; a question does not wait for a lane."""
        self._context.events.begin(record.job_id)
        with self._lock:
            self._live[record.job_id] = LiveJob(record)
            interactive = record.operation == "chat"
            if interactive or self._lanes < LANES:
                self._start(record.job_id if interactive else "")
        if not interactive:
            self._queue.put((BATCH, next(self._numbers), record.job_id))

    def live(self, job_id: str) -> LiveJob | None:
        """The job, while it is queued or at work here."""
        return self._live.get(job_id)

    def failure(self, job_id: str) -> VidbenchError | None:
        """Why a job's end could not even be written down."""
        return self._failures.get(job_id)

    def cancel(self, job_id: str) -> None:
        """Ask a job to stop; one that has not begun, or that nobody goes on with, never will."""
        live = self._live.get(job_id)
        if live is not None:
            live.cancel.set()
        if self._move(job_id, {State.QUEUED, State.INTERRUPTED}, State.CANCELLED, finished_at=now_ms()):
            self._forget(live)
            self._context.events.add(job_id, "state", text=State.CANCELLED)

    def close(self) -> None:
        """Interrupt what is at work; it goes on at the next open."""
        self._closing.set()
        with self._lock:
            for live in self._live.values():
                live.closing.set()
            threads = list(self._threads)
        for _ in threads:
            self._queue.put((INTERACTIVE, next(self._numbers), ""))
        for thread in threads:
            if thread is not threading.current_thread():
                thread.join(timeout=CLOSING_SECONDS)

    def _start(self, once: str) -> None:
        """A thread for the one job *once*, or another lane."""
        self._threads = [thread for thread in self._threads if thread.is_alive()]
        self._lanes += not once
        target = (lambda: self._run(once)) if once else self._lane
        thread = threading.Thread(target=target, daemon=True, name="vidbench-job")
        self._threads.append(thread)
        thread.start()

    def _lane(self) -> None:
        while not self._closing.is_set():
            _, _, job_id = self._queue.get()
            if job_id and not self._closing.is_set():
                self._run(job_id)

    def _run(self, job_id: str) -> None:
        """Bring a job to its end; nothing that goes wrong ends the thread."""
        live = self._live.get(job_id)
        if live is None:
            return
        try:
            self._attempts(live)
        except Exception as error:
            if self._closing.is_set():  # the workspace was closed under it: the next open goes on
                return
            logger.exception("job %s", job_id)
            self._failures[job_id] = VidbenchError(f"{type(error).__name__}: {error}")
        finally:
            self._forget(live)

    def _attempts(self, live: LiveJob) -> None:
        job_id = live.record.job_id
        if not self._move(job_id, {State.QUEUED, State.INTERRUPTED}, State.RUNNING):
            return
        self._failures.pop(job_id, None)
        self._context.events.add(job_id, "state", text=State.RUNNING)
        try:
            while not self._attempt(live):
                self._context.events.add(job_id, "state", text="resuming")
        except Exception as error:
            logger.exception("job %s", job_id)
            self._end(live, State.FAILED, error=VidbenchError(f"{type(error).__name__}: {error}"))

    def _forget(self, live: LiveJob | None) -> None:
        """Let go of *live*; a newer attempt of the same job stays."""
        if live is not None and self._live.get(live.record.job_id) is live:
            del self._live[live.record.job_id]

    def _attempt(self, live: LiveJob) -> bool:
        """One attempt, recorded before it starts; False if the job should be tried again."""
        jobs, job_id = self._context.store.jobs, live.record.job_id
        number = jobs.begin_attempt(job_id)
        live.record = replace(live.record, attempt=number, state=State.RUNNING)
        try:
            result_id = self._body(live)
        except NotApplicable as outcome:
            jobs.end_attempt(job_id, number, "completed", str(outcome))
            self._end(live, State.NOT_APPLICABLE, error=VidbenchError(str(outcome)))
        except Interrupted:
            jobs.end_attempt(job_id, number, "cancelled" if live.cancel.is_set() else "interrupted", "")
            self._end(live, State.CANCELLED if live.cancel.is_set() else State.INTERRUPTED)
        except WorkerDied as error:
            jobs.end_attempt(job_id, number, "died", str(error))
            if jobs.deaths(job_id) < MAX_DEATHS:
                return False
            self._end(live, State.FAILED, error=error)
        except VidbenchError as error:
            jobs.end_attempt(job_id, number, "failed", str(error))
            self._end(live, State.FAILED, error=error)
        else:
            jobs.end_attempt(job_id, number, "completed", "")
            self._end(live, State.COMPLETED, result_id=result_id)
        return True

    def _end(
        self,
        live: LiveJob,
        state: State,
        *,
        error: VidbenchError | None = None,
        result_id: str = "",
    ) -> None:
        facts: dict[str, object] = {"finished_at": now_ms() if state.ended else None}
        if error is not None:
            facts |= {
                "error": error.message,
                "error_kind": type(error).__name__,
                "hint": error.hint,
            }
        if result_id:
            facts["result_id"] = result_id
        job_id = live.record.job_id
        self._move(job_id, LIVE, state, **facts)
        self._forget(live)
        self._context.events.add(job_id, "state", text=state, progress=live.progress.share)

    def _move(self, job_id: str, expect: set[State] | frozenset[State], to: State, **facts: object) -> bool:
        return self._context.store.jobs.transition(job_id, expect=expect, to=to, **facts)
