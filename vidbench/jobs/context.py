"""What every job works with, and what one job in progress knows of itself."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from vidbench.contract.ids import digest
from vidbench.contract.jobs import JobRecord, StageReport
from vidbench.contract.media import FileRecord
from vidbench.contract.models import ModelEntry, Role
from vidbench.contract.states import State
from vidbench.contract.work import WorkerKind
from vidbench.jobs.events import EventLog
from vidbench.jobs.pool import Pool
from vidbench.models import checksum_of
from vidbench.operations.plan import Step
from vidbench.operations.stages import STAGES, key_parts, run_id_of

if TYPE_CHECKING:
    from vidbench.retrieval.index import Index
    from vidbench.store.store import Store


@dataclass(frozen=True, slots=True)
class Context:
    """The owner's parts: store, workers, search index and events."""

    store: Store
    pool: Pool
    index: Index
    events: EventLog


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A step with its key worked out.

    Attributes:
        step: stage and config.
        parts: what the key is made of; empty where an existing run stands in.
        key: hash of the parts.
        run_id: the run that holds or will hold the answer.
    """

    step: Step
    parts: dict[str, object]
    key: str
    run_id: str

    @property
    def worker(self) -> WorkerKind:
        """Where it runs."""
        return STAGES[self.step.stage].worker

    @property
    def roles(self) -> tuple[Role, ...]:
        """The models it uses."""
        return STAGES[self.step.stage].roles


def plan_keys(
    steps: tuple[Step, ...],
    file: FileRecord,
    models: dict[Role, ModelEntry],
    existing: dict[str, str],
) -> tuple[Planned, ...]:
    """Work out the key of each step, in order.

    Args:
        steps: the plan; inputs come before those who read them.
        file: whose fingerprint the first keys hash.
        models: role -> catalogue entry.
        existing: run id -> key, for steps that name an existing run.
    """
    planned: dict[str, Planned] = {}
    for step in steps:
        if step.run_id:
            planned[step.stage] = Planned(step=step, parts={}, key=existing[step.run_id], run_id=step.run_id)
            continue
        stage = STAGES[step.stage]
        inputs = {name: planned[name].key for name in step.inputs} or {"media": file.fingerprint}
        checksums: dict[str, str] = {role: checksum_of(models[role]) for role in stage.roles}
        parts = key_parts(stage, config=step.config, models=checksums, inputs=inputs)
        planned[step.stage] = Planned(step=step, parts=parts, key=digest(parts), run_id=run_id_of(file.file_id, parts))
    return tuple(planned.values())


@dataclass
class Progress:
    """How far a job is: seconds by stage, and an estimate of what is left.

    Attributes:
        expected: stage -> seconds it is expected to take.
    """

    expected: dict[str, float]
    done: dict[str, float] = field(default_factory=dict)
    stage: str = ""
    stage_started: float = 0.0
    stage_offset: float = 0.0

    def enter(self, stage: str, offset: float = 0.0) -> None:
        """Start *stage*, of which the share *offset* was done by an earlier attempt."""
        self.stage, self.stage_started, self.stage_offset = stage, time.monotonic(), offset
        self.done[stage] = offset

    @property
    def share(self) -> float:
        """0 to 1 over all stages, each weighing what it is expected to take."""
        whole = sum(self.expected.values()) or 1.0
        return min(
            1.0,
            sum(self.expected[name] * self.done.get(name, 0.0) for name in self.expected) / whole,
        )

    @property
    def eta_seconds(self) -> float:
        """What is left: the running stage at its own pace, the others as expected."""
        left = sum(cost * (1 - self.done.get(name, 0.0)) for name, cost in self.expected.items())
        made = self.done.get(self.stage, 0.0) - self.stage_offset
        if made > 0.02 and self.stage in self.expected:
            pace = (time.monotonic() - self.stage_started) / made
            remaining = 1 - self.done[self.stage]
            left += remaining * (pace - self.expected[self.stage])
        return max(0.0, left)


@dataclass
class LiveJob:
    """A job that is queued or at work in this process."""

    record: JobRecord
    progress: Progress = field(default_factory=lambda: Progress({}))
    reports: dict[str, StageReport] = field(default_factory=dict)
    cancel: threading.Event = field(default_factory=threading.Event)
    closing: threading.Event = field(default_factory=threading.Event)

    @property
    def stopped(self) -> bool:
        """Whether the work should stop, for whichever reason."""
        return self.cancel.is_set() or self.closing.is_set()

    def report(self, planned: Planned, state: State, *, reused: bool = False, seconds: float = 0.0) -> None:
        """Note where a stage stands."""
        name = planned.step.stage
        self.reports[name] = StageReport(
            name=name,
            run_id=planned.run_id,
            state=state,
            reused=reused,
            seconds=seconds,
            progress=self.progress.done.get(name, 0.0),
        )
