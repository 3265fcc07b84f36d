"""A worker process: runs units of work one step at a time, and dies with its owner.

Started as ``python -m vidbench.jobs.worker KIND READ_FD WRITE_FD OWNER_PID``. The main thread steps through units; one
thread listens to the owner, another sends a heartbeat and watches that the owner is still there. Between two steps the
unit of the highest priority goes first, and a long batch call is asked to stand aside for an interactive one.
"""

from __future__ import annotations

import faulthandler
import logging
import os
import queue
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vidbench.contract.validation import parse, to_json
from vidbench.contract.work import Batch, Unit
from vidbench.errors import Interrupted, MissingExtra, VidbenchError
from vidbench.jobs.channel import PROTOCOL_VERSION, Channel, ChannelClosed, Message
from vidbench.models.imports import EXTRAS
from vidbench.models.residency import Residency
from vidbench.operations.stages import STAGES

HEARTBEAT_SECONDS = 1.0
WINDOW = 2
"""Batches that may wait for their acknowledgement."""
WORTH_ABORTING_SECONDS = 2.0
"""A batch call expected to last longer than this stands aside for an interactive request."""

logger = logging.getLogger(__name__)


class Flags:
    """The interrupt of one unit, set by the listening thread and read by the work."""

    def __init__(self) -> None:
        self.cancelled = False
        self.preempted = False

    def check(self) -> None:
        """Raise ``Interrupted`` if the unit was cancelled."""
        if self.cancelled:
            raise Interrupted("The work was cancelled")


@dataclass
class Task:
    """A unit at work."""

    call: int
    priority: int
    unit: Unit
    flags: Flags = field(default_factory=Flags)
    batches: Iterator[Batch] | None = None
    sent: int = 0
    acknowledged: int = 0
    steps: int = 0
    busy_seconds: float = 0.0
    step_started: float = 0.0

    @property
    def waiting(self) -> bool:
        """Whether the owner has to acknowledge something first."""
        return self.sent - self.acknowledged >= WINDOW

    @property
    def expected_seconds(self) -> float:
        """What the running step is expected to take still, from the steps before it."""
        if not self.step_started:
            return 0.0
        mean = self.busy_seconds / self.steps if self.steps else 2 * WORTH_ABORTING_SECONDS
        return mean - (time.monotonic() - self.step_started)


class Worker:
    """The units of one process and the models they share."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.tasks: dict[int, Task] = {}
        self.running: Task | None = None
        self.wake: queue.SimpleQueue[None] = queue.SimpleQueue()
        self.lock = threading.Lock()
        self.residency = Residency()

    def serve(self) -> None:
        """Step through units for ever."""
        while True:
            task = self._next()
            if task is None:
                self.wake.get()
                continue
            self._step(task)

    def listen(self) -> None:
        """Take the owner's messages; without an owner there is nothing to live for."""
        try:
            while True:
                self._take(self.channel.receive())
        except ChannelClosed:
            os._exit(0)

    def _take(self, message: Message) -> None:
        with self.lock:
            if message["type"] == "run":
                self._accept(message)
            elif task_or_none := self.tasks.get(message["call"]):
                if message["type"] == "ack":
                    task_or_none.acknowledged += 1
                elif message["type"] == "cancel":
                    task_or_none.flags.cancelled = True
        self.wake.put(None)

    def _accept(self, message: Message) -> None:
        try:
            unit = parse(Unit, message["unit"])
        except VidbenchError as error:
            self.channel.send({**_told(error), "call": message["call"]})
            return
        task = Task(message["call"], message["priority"], unit)
        self.tasks[task.call] = task
        self._make_room(task)

    def _make_room(self, newcomer: Task) -> None:
        running = self.running
        if running is None or running.priority <= newcomer.priority:
            return
        if running.expected_seconds > WORTH_ABORTING_SECONDS:
            running.flags.preempted = True

    def _next(self) -> Task | None:
        with self.lock:
            ready = [task for task in self.tasks.values() if task.flags.cancelled or not task.waiting]
            self.running = min(ready, key=lambda task: (task.priority, task.call), default=None)
            return self.running

    def _step(self, task: Task) -> None:
        task.flags.preempted = False
        task.step_started = time.monotonic()
        try:
            batch = self._advance(task)
        except StopIteration:
            self._finish(task, {"type": "done"})
        except Interrupted:
            self._finish(task, {"type": "cancelled"})
        except VidbenchError as error:
            self._finish(task, _told(error))
        except ModuleNotFoundError as error:
            self._finish(task, _told(_missing(error)))
        except Exception as error:  # noqa: BLE001 - the border of the process: it becomes data for the owner
            self._finish(task, _unexpected(error))
        else:
            self._report(task, batch)
        finally:
            task.steps += 1
            task.busy_seconds += time.monotonic() - task.step_started
            task.step_started = 0.0

    def _advance(self, task: Task) -> Batch:
        task.flags.check()
        if task.batches is None:
            self.residency.update(task.unit.models, task.unit.threads)
            run = STAGES[task.unit.stage].load()
            task.batches = iter(run(task.unit, self.residency, task.flags))
        return next(task.batches)

    def _report(self, task: Task, batch: Batch) -> None:
        durable = bool(batch.rows or batch.artifacts or batch.result or batch.position)
        task.sent += durable
        self._send(task, {"type": "batch" if durable else "note", "batch": to_json(batch)})

    def _finish(self, task: Task, message: Message) -> None:
        with self.lock:
            del self.tasks[task.call]
            self.running = None
        self._send(task, message)

    def _send(self, task: Task, message: Message) -> None:
        try:
            self.channel.send({**message, "call": task.call})
        except ChannelClosed:
            os._exit(0)


def _told(error: VidbenchError) -> Message:
    facts = {"message": error.message, "hint": error.hint, "field": error.field, "file": error.file}
    return {"type": "error", "kind": type(error).__name__, **facts}


def _missing(error: ModuleNotFoundError) -> VidbenchError:
    library = str(error.name).partition(".")[0]
    if library not in EXTRAS:
        return VidbenchError(f"The module {error.name} is missing", hint="Install vidbench again.")
    return MissingExtra.of(library, EXTRAS[library])


def _unexpected(error: Exception) -> Message:
    logger.error("%s", traceback.format_exc())
    message = f"{type(error).__name__}: {error}"
    return {
        "type": "error",
        "kind": "VidbenchError",
        "message": message,
        "hint": "The worker's log has the details.",
    }


def watch(channel: Channel, owner: int) -> None:
    """Send heartbeats; end the process, even from within a C call, once the owner is another."""
    while True:
        time.sleep(HEARTBEAT_SECONDS)
        if os.getppid() != owner:
            os._exit(0)
        try:
            channel.send({"type": "beat"})
        except ChannelClosed:
            os._exit(0)


def main(arguments: list[str]) -> None:
    """Run a worker until its owner goes away."""
    kind, read_fd, write_fd, owner = arguments
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    faulthandler.enable()
    logging.basicConfig(level=logging.WARNING, format=f"%(asctime)s {kind} %(name)s: %(message)s")
    channel = Channel(int(read_fd), int(write_fd))
    worker = Worker(channel)
    hello: dict[str, Any] = {"type": "hello", "protocol": PROTOCOL_VERSION, "pid": os.getpid()}
    channel.send(hello)
    threading.Thread(target=worker.listen, daemon=True).start()
    threading.Thread(target=watch, args=(channel, int(owner)), daemon=True).start()
    worker.serve()


if __name__ == "__main__":
    main(sys.argv[1:])
