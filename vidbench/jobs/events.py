"""What listeners see of a job: a short memory of events, in order, that anybody can wait on."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import Any

from vidbench.contract.jobs import Event

KEPT_JOBS = 1000
"""Jobs whose events are remembered; older ones have only their state."""


class EventLog:
    """Events of jobs, numbered from 1 within each job.

    Example:
        >>> log = EventLog()
        >>> log.add("job", "state", text="running").number
        1
        >>> [event.text for event in log.since("job", 0)]
        ['running']
    """

    def __init__(self) -> None:
        self._events: OrderedDict[str, list[Event]] = OrderedDict()
        self._changed = threading.Condition()

    def add(self, job_id: str, kind: str, **facts: Any) -> Event:
        """Append an event and wake everybody who waits for one."""
        with self._changed:
            events = self._events.setdefault(job_id, [])
            event = Event(number=len(events) + 1, kind=kind, **facts)
            events.append(event)
            while len(self._events) > KEPT_JOBS:
                self._events.popitem(last=False)
            self._changed.notify_all()
            return event

    def begin(self, job_id: str) -> None:
        """Start a job's events anew: it was asked for, or asked for again."""
        with self._changed:
            self._events[job_id] = []

    def since(self, job_id: str, after: int, timeout: float = 0.0) -> tuple[Event, ...]:
        """The events after number *after*; waits up to *timeout* seconds for one."""
        with self._changed:
            self._changed.wait_for(lambda: len(self._events.get(job_id, ())) > after, timeout)
            return tuple(self._events.get(job_id, ())[after:])
