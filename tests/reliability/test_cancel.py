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
    """A job behind others never starts, and has no attempt."""
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0.3")
    with vb.open(tmp_path) as bench:
        file = bench.add(short_clip)
        first = file.describe()
        wait_for(first, lambda event: event.stage == "speech")
        waiting = [file.describe(language=language) for language in ("de", "fr", "es", "it")]
        last = waiting[-1].cancel()

        assert last.state is State.CANCELLED
        assert last.attempt == 0
        assert first.record.state is State.RUNNING


def test_a_cancel_never_finishes_a_stage_that_lost_rows(tmp_path, fakes, short_clip):
    """However late a cancel comes, a completed segmentation has its segments."""
    with vb.open(tmp_path) as bench:
        file = bench.add(short_clip)
        for number in range(15):
            job = file.segment("uniform", window_seconds=1 + number)
            time.sleep(0.004 * number)
            job.cancel()
        while any(not job.record.state.ended for job in bench.jobs):
            time.sleep(0.05)
        empty = bench.sql("""
            select run_id from runs where kind = 'segmentation' and state = 'completed'
                and run_id not in (select run_id from all_segments)
        """)

        assert len(empty) == 0


def test_what_was_left_can_be_asked_for_again(tmp_path, fakes, short_clip, monkeypatch):
    """A job interrupted by a close is gone on with when it is asked for, even where nothing is resumed."""
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0.1")
    with vb.open(tmp_path) as bench:
        job = bench.add(short_clip).describe()
        wait_for(job, lambda event: event.stage == "speech")
    with vb.open(tmp_path, resume=False) as bench:
        left = bench.jobs[0].record
        again = bench.files[0].describe()
        again.result(timeout=PATIENCE_SECONDS)

        assert left.state is State.INTERRUPTED
        assert again.id == left.job_id
        assert again.record.attempt == 2


def test_closing_during_a_question_is_quiet(tmp_path, fakes, short_clip, monkeypatch, capfd):
    """Nothing is printed, and the same question is answered at the next open."""
    with vb.open(tmp_path) as bench:
        bench.add(short_clip).describe().result(timeout=PATIENCE_SECONDS)
        bench.engine.pool.close()
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0.2")
    with vb.open(tmp_path) as bench:
        bench.collection("all").ask("birch cedar")
        time.sleep(0.5)
    monkeypatch.setenv("VIDBENCH_FAKE_DELAY", "0")
    with vb.open(tmp_path) as bench:
        answer = bench.collection("all").ask("birch cedar").result(timeout=PATIENCE_SECONDS)

        assert answer.answered
    assert "Traceback" not in capfd.readouterr().err


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
