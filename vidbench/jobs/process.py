"""Everything about processes that differs between platforms."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import psutil

from vidbench.contract.work import WorkerKind
from vidbench.jobs.channel import Channel


def start_worker(kind: WorkerKind, log: Path) -> tuple[subprocess.Popen[bytes], Channel]:
    """A fresh interpreter that runs ``vidbench.jobs.worker``, in a session of its own.

    Never fork, never multiprocessing: the child shares nothing with the notebook. Its own session keeps a cell's
    interrupt away from it, and its output goes to *log*, because an undrained pipe would stop it for ever.
    """
    owner_reads, worker_writes = os.pipe()
    worker_reads, owner_writes = os.pipe()
    log.parent.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "vidbench.jobs.worker"]
    command += [kind, str(worker_reads), str(worker_writes), str(os.getpid())]
    try:
        with log.open("ab") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                pass_fds=(worker_reads, worker_writes),
                start_new_session=True,
                env=worker_environment(),
            )
    finally:
        os.close(worker_reads)
        os.close(worker_writes)
    return process, Channel(owner_reads, owner_writes)


def worker_environment() -> dict[str, str]:
    """The owner's environment, with every library told to use the threads we count out.

    OpenMP's threads sleep while they wait for one another. By default they spin, and on a machine that has other
    work, llama.cpp then writes a token in the time of ten (``benchmarks/threads.py`` measures it).
    """
    counted = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "TOKENIZERS_PARALLELISM": "false"}
    path = os.pathsep.join(entry for entry in sys.path if entry)
    own = {"OMP_WAIT_POLICY": "passive", "PYTHONPATH": path, "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **counted, **own}


def rotate(log: Path, *, max_bytes: int = 4 * 1024 * 1024) -> None:
    """Put *log* aside as ``<name>.old`` once it is over *max_bytes*."""
    if log.exists() and log.stat().st_size > max_bytes:
        log.replace(log.with_suffix(".old"))


def kill(process: subprocess.Popen[bytes]) -> None:
    """End *process* at once and reap it."""
    process.kill()
    process.wait()


def exit_reason(returncode: int | None) -> str:
    """How a process ended, in words.

    Example:
        >>> exit_reason(-9)
        'was killed (SIGKILL)'
    """
    if returncode is None:
        return "is still there"
    if returncode >= 0:
        return f"ended with exit code {returncode}"
    try:
        name = signal.Signals(-returncode).name
    except ValueError:
        name = f"signal {-returncode}"
    if name == "SIGILL":
        return "met an instruction this processor does not have (SIGILL): a library was built for another processor"
    return f"was killed ({name})" if name in {"SIGKILL", "SIGTERM"} else f"crashed ({name})"


def started_at(pid: int) -> float:
    """When process *pid* started, in Unix seconds; 0.0 where there is none."""
    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


def is_alive(pid: int, start_time: float) -> bool:
    """Whether the process that had *pid* at *start_time* still runs (process ids are used again)."""
    try:
        process = psutil.Process(pid)
        same = abs(process.create_time() - start_time) < 1.0
        return same and process.status() != psutil.STATUS_ZOMBIE
    except psutil.Error:
        return False
