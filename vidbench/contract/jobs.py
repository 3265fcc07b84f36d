"""Jobs: work that was asked for, how far it is, and what it cost."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from vidbench.contract.states import State


@dataclass(frozen=True, slots=True, kw_only=True)
class StageReport:
    """One stage of a job.

    Attributes:
        name: scan, segmentation, speech, scene_text, summary, passages ...
        run_id: the run that holds its rows.
        state: where it stands.
        reused: whether an earlier run already held the answer.
        seconds: time spent on it, over all attempts.
        progress: 0 to 1.
    """

    name: str
    run_id: str
    state: State
    reused: bool = False
    seconds: float = 0.0
    progress: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JobRecord:
    """A job as the store and the queue know it.

    Attributes:
        job_id: UUID.
        operation: the verb (describe, segment, chat, pull ...).
        subject_id: the file or collection it works on.
        subject_name: that file's or collection's name.
        config: the verb's config as JSON.
        key: hash of operation, subject, config and models: equal keys are the same work.
        state: where it stands.
        attempt: number of the current or last attempt, from 1.
        progress: 0 to 1 over all stages.
        stage: the stage at work, empty where none.
        eta_seconds: estimate of what is left, None where unknown.
        error: message of a failure, with its remedy.
        created_at: Unix ms.
        finished_at: Unix ms, None while it lives.
        stages: a report for each stage.
        result_id: id of what it made where that is not the job itself (a segmentation, a chat completion).
    """

    job_id: str
    operation: str
    subject_id: str
    subject_name: str
    config: dict[str, Any]
    key: str
    state: State
    attempt: int
    created_at: int
    progress: float = 0.0
    stage: str = ""
    eta_seconds: float | None = None
    error: str = ""
    error_kind: str = ""
    hint: str = ""
    finished_at: int | None = None
    stages: tuple[StageReport, ...] = ()
    result_id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """Something that happened to a job, in order.

    Attributes:
        number: counts up from 1 within the job.
        kind: state, stage, progress, rows or token.
        stage: the stage concerned.
        progress: 0 to 1 over all stages.
        text: the token, the message, or empty.
        rows: how many rows became visible.
        eta_seconds: estimate of what is left.
    """

    number: int
    kind: str
    stage: str = ""
    progress: float = 0.0
    text: str = ""
    rows: int = 0
    eta_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Events:
    """A job now, and what happened since a given event."""

    job: JobRecord
    events: tuple[Event, ...] = field(default=())
