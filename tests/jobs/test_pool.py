"""The owner's side of the workers."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from vidbench.contract.work import Batch, Unit
from vidbench.errors import Interrupted, MediaError, WorkerDied
from vidbench.jobs.pool import BATCH, INTERACTIVE, Pool


@pytest.fixture
def pool(tmp_path):
    """Workers that end with the test."""
    pool = Pool(tmp_path / "logs", cores=4)
    yield pool
    pool.close()


def run(pool, unit, *, kind="media", cancelled=lambda: False, priority=BATCH):
    """Run *unit* and collect its batches."""
    batches: list[Batch] = []
    pool.run(kind, unit, on_batch=batches.append, cancelled=cancelled, priority=priority)
    return batches


def test_a_unit_comes_back_with_its_result(pool, clip):
    """The media worker probes the clip."""
    (batch,) = run(pool, Unit(stage="probe", run_id="", media=str(clip)))

    assert batch.result["facts"]["width"] == 480
    assert batch.result["fingerprint"]


def test_an_error_crosses_the_border_whole(pool, tmp_path):
    """Class, message, hint and file are those that the stage raised."""
    bad = tmp_path / "no-video.mp4"
    bad.write_bytes(b"no video at all" * 100)

    with pytest.raises(MediaError) as caught:
        run(pool, Unit(stage="probe", run_id="", media=str(bad)))
    assert "no-video.mp4" in str(caught.value)


def test_a_worker_is_kept_and_replaced_when_it_dies(pool, clip):
    """Units share one process until it is killed; the next unit starts another."""
    unit = Unit(stage="probe", run_id="", media=str(clip))
    run(pool, unit)
    first = pool.pids()["media"]
    run(pool, unit)
    assert pool.pids()["media"] == first

    os.kill(first, signal.SIGKILL)
    time.sleep(0.2)
    run(pool, unit)
    assert pool.pids()["media"] != first


def test_a_death_is_told_in_words(pool, tmp_path):
    """The error says which worker, how it ended and where its log is."""
    slow = tmp_path / "pipe.mp4"
    slow.write_bytes(b"")
    failed: list[BaseException] = []

    def work() -> None:
        try:
            for _ in range(200):
                run(pool, Unit(stage="probe", run_id="", media=str(slow)), priority=INTERACTIVE)
        except WorkerDied as error:
            failed.append(error)
        except MediaError:
            work()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not pool.pids() and time.monotonic() < deadline:
        time.sleep(0.01)
    time.sleep(0.5)
    while not failed and time.monotonic() < deadline:
        for pid in pool.pids().values():
            os.kill(pid, signal.SIGKILL)
        time.sleep(0.3)
    pool.close()

    assert any("SIGKILL" in str(error) and "media.log" in str(error) for error in failed)


def test_whoever_waits_for_a_turn_can_be_cancelled(pool, clip):
    """A unit that has not begun costs nothing to stop."""
    with pool._turn("media", BATCH, lambda: False), pytest.raises(Interrupted):
        run(pool, Unit(stage="probe", run_id="", media=str(clip)), cancelled=lambda: True)


def test_cores_are_shared_while_both_kinds_work(pool):
    """Perception and language get half each while both have work, all of them alone, media one."""
    assert (pool._share("perception"), pool._share("media")) == (4, 1)
    with pool._turn("language", BATCH, lambda: False):
        assert pool._share("perception") == 2


def test_a_closed_pool_starts_nothing(pool, clip):
    """After close no unit begins."""
    pool.close()

    with pytest.raises(Interrupted):
        run(pool, Unit(stage="probe", run_id="", media=str(clip)))
