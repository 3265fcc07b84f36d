"""The owner's side of the worker processes: three kinds, started when first needed, replaced when they die."""

from __future__ import annotations

import logging
import os
import queue
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from vidbench.contract.validation import to_json
from vidbench.contract.work import ArtifactNote, Batch, Unit, WorkerKind
from vidbench.errors import Interrupted, WorkerDied, by_name
from vidbench.jobs import process as processes
from vidbench.jobs.channel import PROTOCOL_VERSION, Channel, ChannelClosed, Message

BATCH, INTERACTIVE = 10, 0
"""Priorities: the lower goes first."""
CANCEL_GRACE_SECONDS = 0.7
"""What has not stopped by then is killed."""
SILENCE_SECONDS = 60.0
"""A worker that sends no heartbeat for so long is hung."""
POLL_SECONDS = 0.05

logger = logging.getLogger(__name__)
OnBatch = Callable[[Batch], None]
Cancelled = Callable[[], bool]


class Replaced(WorkerDied):
    """The worker was killed for another unit's sake; this unit may simply go on."""


class Worker:
    """One live worker process and the calls that wait for its answers."""

    def __init__(self, kind: WorkerKind, log: Path) -> None:
        processes.rotate(log)
        self.kind = kind
        self.log = log
        self.killed_for_cancel = False
        self.last_heard = time.monotonic()
        self._calls: dict[int, queue.SimpleQueue[Message]] = {}
        self._lock = threading.Lock()
        self._count = 0
        self.process: subprocess.Popen[bytes]
        self.channel: Channel
        self.process, self.channel = processes.start_worker(kind, log)
        threading.Thread(target=self._listen, daemon=True, name=f"vidbench-{kind}").start()

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self.process.poll() is None

    def begin(self, unit: Unit, priority: int) -> tuple[int, queue.SimpleQueue[Message]]:
        """Hand *unit* over; the queue brings what comes back, an ``ended`` message last."""
        inbox: queue.SimpleQueue[Message] = queue.SimpleQueue()
        with self._lock:
            self._count += 1
            call = self._count
            self._calls[call] = inbox
        try:
            self.channel.send({"type": "run", "call": call, "priority": priority, "unit": to_json(unit)})
        except ChannelClosed:
            inbox.put({"type": "ended"})
        return call, inbox

    def tell(self, call: int, what: str) -> None:
        """Send an ``ack`` or a ``cancel``; a dead worker's calls hear of its end anyway."""
        try:
            self.channel.send({"type": what, "call": call})
        except ChannelClosed:
            logger.debug("%s worker is gone: %s not sent", self.kind, what)

    def kill(self) -> None:
        """End the process at once."""
        processes.kill(self.process)

    def death(self) -> str:
        """How the process ended, with the place of its log."""
        try:
            returncode: int | None = self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            returncode = None
        return f"The {self.kind} worker {processes.exit_reason(returncode)}"

    def _listen(self) -> None:
        try:
            while True:
                self._dispatch(self.channel.receive())
        except ChannelClosed:
            with self._lock:
                waiting = list(self._calls.values())
            for inbox in waiting:
                inbox.put({"type": "ended"})
            self.channel.close()

    def _dispatch(self, message: Message) -> None:
        self.last_heard = time.monotonic()
        if message["type"] == "hello" and message["protocol"] != PROTOCOL_VERSION:
            logger.error("%s worker speaks protocol %s", self.kind, message["protocol"])
            self.process.kill()
        with self._lock:
            inbox = self._calls.get(message.get("call", 0))
            if message["type"] in {"done", "cancelled", "error"}:
                self._calls.pop(message["call"], None)
        if inbox is not None:
            inbox.put(message)


class Pool:
    """The workers of a workspace, and whose turn it is.

    Args:
        folder: where their logs go.
        cores: how many cores there are to hand out.
    """

    def __init__(self, folder: Path, cores: int | None = None) -> None:
        self.folder = folder
        self.cores = cores or os.cpu_count() or 1
        self._workers: dict[WorkerKind, Worker] = {}
        self._turns: dict[WorkerKind, threading.Lock] = {kind: threading.Lock() for kind in get_args(WorkerKind)}
        self._busy: dict[WorkerKind, int] = dict.fromkeys(get_args(WorkerKind), 0)
        self._shares: dict[WorkerKind, int] = dict.fromkeys(get_args(WorkerKind), self.cores)
        self._lock = threading.Lock()
        self._closed = False

    def run(
        self,
        kind: WorkerKind,
        unit: Unit,
        *,
        on_batch: OnBatch,
        cancelled: Cancelled,
        priority: int = BATCH,
    ) -> None:
        """Run *unit* to its end; *on_batch* commits each batch, and then the worker may go on.

        Raises:
            Interrupted: *cancelled* said so; whatever was committed stays.
            WorkerDied: the process ended without an answer.
            VidbenchError: what the stage raised.
        """
        with self._turn(kind, priority, cancelled):
            worker = self._worker(kind)
            call, inbox = worker.begin(replace(unit, threads=self._share(kind)), priority)
            try:
                self._follow(worker, call, inbox, on_batch, cancelled)
            except BaseException:
                worker.tell(call, "cancel")  # whatever went wrong here, it should not work on for nobody
                raise

    def ask(self, kind: WorkerKind, unit: Unit, *, on_batch: OnBatch, cancelled: Cancelled) -> None:
        """Run a short *unit* ahead of all batch work; once more if its worker was killed for another's sake."""
        while True:
            try:
                return self.run(kind, unit, on_batch=on_batch, cancelled=cancelled, priority=INTERACTIVE)
            except Replaced:
                continue

    def pids(self) -> dict[WorkerKind, int]:
        """The process id of each worker that runs."""
        return {kind: worker.process.pid for kind, worker in self._workers.items() if worker.alive}

    def close(self) -> None:
        """End all workers."""
        with self._lock:
            self._closed = True
            for worker in self._workers.values():
                worker.kill()

    @contextmanager
    def _turn(self, kind: WorkerKind, priority: int, cancelled: Cancelled) -> Iterator[None]:
        """Batch units of a kind run one after the other; interactive ones go straight in."""
        turn = self._turns[kind] if priority == BATCH else threading.Lock()
        while not turn.acquire(timeout=POLL_SECONDS):
            if cancelled():
                raise Interrupted("The work was cancelled")
        with self._lock:
            self._busy[kind] += 1
        try:
            yield
        finally:
            with self._lock:
                self._busy[kind] -= 1
            turn.release()

    def _share(self, kind: WorkerKind) -> int:
        """Half the cores each while perception and language both work, else all of them.

        A unit that joins another in the same worker gets that one's share: another number would make the
        worker load its model anew.
        """
        if kind == "media":
            return 1
        if self._busy[kind] > 1:
            return self._shares[kind]
        other: WorkerKind = "language" if kind == "perception" else "perception"
        self._shares[kind] = max(1, self.cores // 2) if self._busy[other] else self.cores
        return self._shares[kind]

    def _worker(self, kind: WorkerKind) -> Worker:
        with self._lock:
            if self._closed:
                raise Interrupted("The workspace is closing")
            worker = self._workers.get(kind)
            if worker is None or not worker.alive:
                worker = self._workers[kind] = Worker(kind, self.folder / f"{kind}.log")
            return worker

    def _follow(
        self,
        worker: Worker,
        call: int,
        inbox: queue.SimpleQueue[Message],
        on_batch: OnBatch,
        cancelled: Cancelled,
    ) -> None:
        """Take a call's messages to its end; every batch that arrives is committed, a cancel or not."""
        deadline = 0.0
        while True:
            try:
                message = inbox.get(timeout=POLL_SECONDS)
            except queue.Empty:
                message = {"type": "silence"}
            if _answered(worker, message, deadline):
                return
            if message["type"] in {"batch", "note"}:
                on_batch(_batch(message["batch"]))
                if message["type"] == "batch":
                    worker.tell(call, "ack")
            if not deadline and cancelled():
                worker.tell(call, "cancel")
                deadline = time.monotonic() + CANCEL_GRACE_SECONDS
            if deadline and time.monotonic() > deadline:
                worker.killed_for_cancel = True
                worker.kill()
                raise Interrupted("The work was cancelled")


def _answered(worker: Worker, message: Message, deadline: float) -> bool:
    """Whether the call is done; raises what it ended with."""
    match message["type"]:
        case "done":
            return True
        case "cancelled":
            raise Interrupted("The work was cancelled")
        case "error":
            facts = {name: message[name] for name in ("hint", "field", "file") if name in message}
            raise by_name(message["kind"])(message["message"], **facts)
        case "ended":
            if deadline:
                raise Interrupted("The work was cancelled")
            kind = Replaced if worker.killed_for_cancel else WorkerDied
            raise kind(worker.death(), hint=f"Its log is {worker.log}.", file=str(worker.log))
        case "silence" if time.monotonic() - worker.last_heard > SILENCE_SECONDS:
            worker.kill()
            raise WorkerDied(f"The {worker.kind} worker hung and was killed", hint=f"Its log is {worker.log}.")
    return False


def _batch(data: dict[str, Any]) -> Batch:
    return Batch(**{**data, "artifacts": tuple(ArtifactNote(**note) for note in data["artifacts"])})
