"""The states of a job, and the one table that maps them to each resource's states on the wire."""

from __future__ import annotations

from enum import StrEnum


class State(StrEnum):
    """Where a job stands. The arrows are drawn in ``docs/architecture.md``."""

    QUEUED = "queued"
    RUNNING = "running"
    INTERRUPTED = "interrupted"
    CANCELLED = "cancelled"
    COMPLETED = "completed"
    FAILED = "failed"
    NOT_APPLICABLE = "not_applicable"

    @property
    def ended(self) -> bool:
        """Whether nothing more happens unless somebody asks again."""
        return self in ENDED


ENDED = frozenset({State.CANCELLED, State.COMPLETED, State.FAILED, State.NOT_APPLICABLE})
LIVE = frozenset({State.QUEUED, State.RUNNING, State.INTERRUPTED})

_JOB = {
    State.QUEUED: "pending",
    State.RUNNING: "processing",
    State.INTERRUPTED: "processing",
    State.CANCELLED: "failed",
    State.COMPLETED: "completed",
    State.FAILED: "failed",
    State.NOT_APPLICABLE: "not_applicable",
}
_QUERY = {
    State.QUEUED: "in_progress",
    State.RUNNING: "in_progress",
    State.INTERRUPTED: "in_progress",
    State.CANCELLED: "cancelled",
    State.COMPLETED: "completed",
    State.FAILED: "failed",
    State.NOT_APPLICABLE: "failed",
}
WIRE = {
    "describe": _JOB,
    "segmentation": _JOB,
    "file": _JOB,
    "frames": _JOB | {State.NOT_APPLICABLE: "failed"},
    "query": _QUERY,
}
"""Resource -> state -> the word that resource uses on the wire."""


def wire_state(resource: str, state: State) -> str:
    """The wire's word for *state* of *resource*.

    Example:
        >>> wire_state("query", State.RUNNING)
        'in_progress'
    """
    return WIRE[resource][state]
