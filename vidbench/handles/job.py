"""Work that was asked for: wait for it, listen to it, or stop it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from vidbench.contract.jobs import Event, JobRecord
from vidbench.contract.states import State
from vidbench.errors import InvalidInput, JobCancelled, JobFailed, NotReady, by_name
from vidbench.handles.table import Bench, Table

if TYPE_CHECKING:
    import pandas as pd

R = TypeVar("R")
POLL_SECONDS = 0.1
"""How often an awaited job looks up, so that the interrupt of a cell gets through."""


class Job(Generic[R]):
    """Work that was asked for. Await it, ask for its result, listen to it, or cancel it.

    Args:
        bench: where it runs.
        record: the job as it stood when it was asked for.
        read: makes the result of a completed job.
    """

    def __init__(self, bench: Bench, record: JobRecord, read: Callable[[JobRecord], R]) -> None:
        self._bench = bench
        self._record = record
        self._read = read

    @property
    def id(self) -> str:
        """The job's UUID."""
        return self._record.job_id

    @property
    def record(self) -> JobRecord:
        """The job as it stands."""
        if not self._record.state.ended:
            self._record = self._bench.engine.get_job(job_id=self.id)
        return self._record

    @property
    def state(self) -> State:
        """Where it stands."""
        return self.record.state

    def result(self, timeout: float | None = None) -> R:
        """Wait for the end and return what came of it. An interrupt stops the waiting, not the job.

        Args:
            timeout: seconds to wait at most; None waits for ever.

        Raises:
            TimeoutError: it has not ended in time.
            JobFailed: it failed; the message says why and what to do.
            JobCancelled: it was cancelled.
        """
        deadline = None if timeout is None else time.monotonic() + timeout
        after = 0
        while not self._record.state.ended:
            answer = self._bench.engine.wait_events(job_id=self.id, after=after, timeout=0.5)
            self._record = answer.job
            after += len(answer.events)
            if deadline is not None and time.monotonic() > deadline and not answer.job.state.ended:
                msg = f"{self._record.operation} of {self._record.subject_name} has not ended after {timeout} s"
                raise TimeoutError(msg)
        return self._outcome()

    def __await__(self) -> Generator[Any, None, R]:
        """Wait without blocking the kernel's loop."""
        return self._wait().__await__()

    def events(self, *, timeout: float = 0.5) -> Iterator[Event]:
        """What happens to the job, from its beginning to its end.

        Args:
            timeout: seconds after which an event of kind ``tick`` is given although nothing happened.
        """
        seen = 0
        while True:
            answer = self._bench.engine.wait_events(job_id=self.id, after=seen, timeout=timeout)
            yield from answer.events
            seen += len(answer.events)
            if answer.job.state.ended and not answer.events:
                self._record = answer.job
                return
            if not answer.events:
                yield Event(number=seen, kind="tick", stage=answer.job.stage, progress=answer.job.progress)

    def cancel(self) -> JobRecord:
        """Stop it; what was finished stays and is used again."""
        self._record = self._bench.engine.cancel_job(job_id=self.id)
        return self._record

    @property
    def partial(self) -> R:
        """What is there so far."""
        return self._read(self.record)

    async def _wait(self) -> R:
        loop = asyncio.get_running_loop()
        while not (await loop.run_in_executor(None, lambda: self.record)).state.ended:
            await asyncio.sleep(POLL_SECONDS)
        return await loop.run_in_executor(None, self._outcome)

    def _outcome(self) -> R:
        record = self.record
        if record.state is State.CANCELLED:
            raise JobCancelled(
                f"{record.operation} of {record.subject_name} was cancelled",
                hint="Ask again to go on.",
            )
        if record.state is State.FAILED:
            kind = by_name(record.error_kind or "JobFailed")
            raise (kind if issubclass(kind, InvalidInput | NotReady) else JobFailed)(record.error, hint=record.hint)
        return self._read(record)

    def __repr__(self) -> str:
        from vidbench.display import job_text

        return job_text(self.record)

    def _repr_html_(self) -> str:
        from vidbench.display import job_html

        if self.state is State.COMPLETED:
            result = self._read(self.record)
            if hasattr(result, "_repr_html_"):
                return str(result._repr_html_())
        return job_html(self.record)


class Jobs(Sequence[Job[Any]]):
    """A group of jobs that were asked for together."""

    def __init__(self, jobs: Sequence[Job[Any]]) -> None:
        self._jobs = tuple(jobs)

    @overload
    def __getitem__(self, index: int) -> Job[Any]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Job[Any]]: ...
    def __getitem__(self, index: int | slice) -> Job[Any] | Sequence[Job[Any]]:
        """One job, or some."""
        return self._jobs[index]

    def __len__(self) -> int:
        return len(self._jobs)

    def result(self, timeout: float | None = None) -> list[Any]:
        """Wait for all of them; the first failure is raised when all have ended."""
        for job in self._jobs:
            _ended(job, timeout)
        return [job.result(timeout) for job in self._jobs]

    def __await__(self) -> Generator[Any, None, list[Any]]:
        """Wait for all of them without blocking the loop."""
        return self._wait().__await__()

    def cancel(self) -> None:
        """Stop them all."""
        for job in self._jobs:
            job.cancel()

    def df(self) -> pd.DataFrame:
        """One row a job."""
        names = ("job_id", "operation", "subject_name", "state", "attempt", "progress", "error")
        return Table([{name: getattr(job.record, name) for name in names} for job in self._jobs]).df()

    async def _wait(self) -> list[Any]:
        return [await job for job in self._jobs]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self._jobs)) or "no jobs"


def _ended(job: Job[Any], timeout: float | None) -> None:
    try:
        job.result(timeout)
    except (JobFailed, JobCancelled, InvalidInput, NotReady):
        return
