"""A job's stage, share and remaining time, and a button that cancels it."""

from __future__ import annotations

import asyncio
from typing import Any

import ipywidgets

from vidbench.contract.jobs import JobRecord
from vidbench.contract.states import State
from vidbench.handles import Job

REFRESH_SECONDS = 0.25
_COLOURS = {State.COMPLETED: "success", State.FAILED: "danger", State.CANCELLED: "warning"}


class JobProgress(ipywidgets.HBox):  # type: ignore[misc]  # ipywidgets publishes no types
    """Follow *job* until it ends.

    The job is looked up off the kernel's loop, and the widget is changed on it: a widget must not be written to from
    a thread.

    Args:
        job: a live or ended job.

    Example:
        >>> JobProgress(file.describe())  # doctest: +SKIP
    """

    def __init__(self, job: Job[Any]) -> None:
        self.job = job
        self._bar = ipywidgets.FloatProgress(min=0.0, max=1.0, description=job.record.operation)
        self._label = ipywidgets.Label()
        self._button = ipywidgets.Button(description="Cancel", icon="stop", tooltip="Stop this job")
        self._button.on_click(lambda _: job.cancel())
        super().__init__([self._bar, self._label, self._button])
        self.show(job.record)
        self.following: asyncio.Task[None] | None = None
        if not job.record.state.ended:
            self.following = asyncio.get_event_loop().create_task(self._follow())

    def show(self, record: JobRecord) -> None:
        """Bring the widget up to *record*."""
        ended = record.state.ended
        self._bar.value = 1.0 if record.state is State.COMPLETED else record.progress
        self._bar.bar_style = _COLOURS.get(record.state, "")
        self._label.value = caption(record)
        self._button.disabled = ended

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            record = await loop.run_in_executor(None, lambda: self.job.record)
            self.show(record)
            if record.state.ended:
                return
            await asyncio.sleep(REFRESH_SECONDS)


def caption(record: JobRecord) -> str:
    """Stage and time left while a job runs, its end afterwards.

    Example:
        >>> caption(JobRecord(job_id="", operation="describe", subject_id="", subject_name="a.mp4", config={}, key="",
        ...     state=State.RUNNING, attempt=1, created_at=0, stage="speech", eta_seconds=9.6))
        'a.mp4: speech, about 10 s left'
    """
    if record.state is State.RUNNING:
        left = f", about {record.eta_seconds:.0f} s left" if record.eta_seconds else ""
        return f"{record.subject_name}: {record.stage or 'starting'}{left}"
    return f"{record.subject_name}: {record.state}{f' ({record.error})' if record.error else ''}"
