"""Cancelling takes effect in under a second, wherever the work stands."""

from __future__ import annotations

import time

import pytest

import vidbench as vb
from vidbench.contract.states import State
from vidbench.errors import JobCancelled

PATIENCE_SECONDS = 60


def wait_for(job, what, *, seconds=PATIENCE_SECONDS):
    """Follow the job until an event satisfies *what*."""
    deadline = time.monotonic() + seconds
    for event in job.events(timeout=0.05):
        if what(event):
            return
        assert time.monotonic() < deadline, "the job never came to that point"
    pytest.fail("the job ended first")


def cancel(job) -> float:
    """Seconds between the cancel and the end."""
    started = time.monotonic()
    job.cancel()
    with pytest.raises(JobCancelled):
        job.result(timeout=10)
    return time.monotonic() - started


def test_a_job_that_waits_is_cancelled_at_once(tmp_path, fakes, short_clip, monkeypatch):
    """A queued job never starts."""
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0.3")
    with vb.open(tmp_path) as bench:
        file = bench.add(short_clip)
        jobs = [file.segment("uniform", window_seconds=window) for window in range(1, 9)]
        first = file.describe()
        for job in jobs:
            job.cancel()

        assert first.cancel().state in {State.CANCELLED, State.RUNNING, State.QUEUED}


@pytest.mark.parametrize("stage", ["scan", "speech", "scene_text", "summary"])
def test_a_cancelled_job_can_be_asked_for_again(stage, tmp_path, fakes, clip, monkeypatch):
    """What was finished stays; the next attempt completes."""
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0.02")
    with vb.open(tmp_path) as bench:
        file = bench.add(clip)
        job = file.describe()
        wait_for(job, lambda event: event.stage == stage)
        took = cancel(job)
        again = file.describe()
        again.result(timeout=PATIENCE_SECONDS)

        assert again.id == job.id
        assert again.record.state is State.COMPLETED
        print(f"cancelled in {stage} after {took:.2f} s")


@pytest.mark.model
@pytest.mark.parametrize("stage", ["scan", "speech", "scene_text", "summary"])
def test_real_work_stops(stage, tmp_path, models_dir, clip, monkeypatch):
    """Decode, speech, OCR and generation each end within the ladder's time."""
    monkeypatch.setenv("VIDBENCH_CACHE", str(tmp_path / "cache"))
    with vb.open(tmp_path / "w") as bench:
        file = bench.add(clip)
        leave_out = {"summary": {"enable_scene_text": False}}.get(stage, {})
        job = file.describe(**leave_out)
        wait_for(job, lambda event: event.stage == stage and event.text == "running", seconds=120)
        before = bench.engine.pool.pids()
        time.sleep(0.4)
        took = cancel(job)
        after = bench.engine.pool.pids()
        print(f"cancelled in {stage} after {took:.2f} s")

        assert job.record.state is State.CANCELLED
        if stage == "summary":
            assert after["language"] == before["language"]
