"""One owner, and everybody gets in."""

from __future__ import annotations

import json
import os
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import vidbench as vb
from vidbench import ownership
from vidbench.errors import ForkedProcess, WorkspaceBusy

HOLD = """
import sys, time
import vidbench as vb
bench = vb.open(sys.argv[1])
print("open", flush=True)
time.sleep(60)
"""


@pytest.fixture
def holder(tmp_path, fakes):
    """Another process that owns the workspace."""
    process = subprocess.Popen([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "open"
    yield process
    process.kill()
    process.wait()


def test_opening_twice_gives_the_same_bench(tmp_path, fakes):
    """A cell that is run again does not start a second owner."""
    with vb.open(tmp_path) as bench:
        assert vb.open(tmp_path) is bench
        assert bench.owns


def test_the_announcement_is_private(tmp_path, fakes):
    """owner.json can be read by its user alone, and goes when the bench is closed."""
    with vb.open(tmp_path):
        file = tmp_path / ownership.FILE_NAME
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert set(json.loads(file.read_text())) == {"pid", "started", "url", "token"}

    assert not file.exists()


def test_a_second_process_works_through_the_owner(tmp_path, holder, short_clip, capsys):
    """It connects, says so, and every verb works."""
    with vb.open(tmp_path) as bench:
        file = bench.add(short_clip)
        description = file.describe().result(timeout=60)
        answer = bench.collection("all").ask("birch cedar").result(timeout=60)

        assert not bench.owns
        assert "owned by another process" in capsys.readouterr().out
        assert bench.engine.info().pid == holder.pid
        assert description.title
        assert len(bench.sql("select * from speech")) == len(file.speech) > 0
        assert answer.citations


def test_exclusive_names_the_holder(tmp_path, holder):
    """A process that will not share is told who has it."""
    with pytest.raises(WorkspaceBusy, match=str(holder.pid)):
        vb.open(tmp_path, exclusive=True)


def test_the_next_call_takes_over(tmp_path, holder, short_clip):
    """When the owner is gone, whoever calls next owns the data and nothing is lost."""
    with vb.open(tmp_path) as bench:
        name = bench.add(short_clip).name
        os.kill(holder.pid, signal.SIGKILL)
        holder.wait()

        assert bench.files[name].name == name
        assert bench.owns


CLOSES = """
import sys
import vidbench as vb
bench = vb.open(sys.argv[1])
print("open", flush=True)
sys.stdin.readline()
bench.close()
print("closed", flush=True)
sys.stdin.readline()
"""


def test_an_owner_that_closes_is_followed(tmp_path, fakes, short_clip):
    """A notebook that closes its bench but lives on gives the workspace to whoever calls next."""
    process = subprocess.Popen(
        [sys.executable, "-c", CLOSES, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdout.readline()
    with vb.open(tmp_path) as bench:
        name = bench.add(short_clip).name
        assert not bench.owns
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline().strip() == "closed"

        assert bench.files[name].name == name
        assert bench.owns
    process.communicate("\n")


def test_a_full_disk_leaves_a_workspace_readable(tmp_path, fakes, short_clip, monkeypatch):
    """Where owner.json cannot be written, everything that is there can still be read."""

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with vb.open(tmp_path) as bench:
        name = bench.add(short_clip).name
    monkeypatch.setattr(ownership.json, "dump", full)
    with vb.open(tmp_path) as bench:
        assert bench.files[name].name == name

    assert not list(tmp_path.glob(".owner*"))


def test_an_empty_question_is_refused(tmp_path, fakes):
    """Blanks are no question, and leave no job."""
    with vb.open(tmp_path) as bench:
        with pytest.raises(vb.VidbenchError, match="empty"):
            bench.collection("all").ask("  ")

        assert len(bench.jobs) == 0


def test_a_file_shows_one_truth(tmp_path, fakes, short_clip):
    """Python and SQL show the same current parts, whichever description made them."""
    with vb.open(tmp_path) as bench:
        file = bench.add(short_clip)
        file.describe().result(timeout=60)
        file.describe(enable_speech=False).result(timeout=60)

        assert len(file.speech) == len(bench.sql("select * from speech")) > 0
        assert len(file.segments) == len(file.segment_summaries)


def test_a_forked_child_refuses(tmp_path, fakes):
    """After a fork the child's bench raises instead of losing what it is told."""
    with vb.open(tmp_path) as bench:
        reads, writes = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                len(bench.files)
            except ForkedProcess:
                os.write(writes, b"refused")
            finally:
                os._exit(0)
        os.waitpid(child, 0)

        assert os.read(reads, 100) == b"refused"


def test_a_crash_of_a_worker_leaves_the_owner_alive(tmp_path, fakes, short_clip, monkeypatch):
    """os.abort() inside a library ends two attempts and the job, not the notebook."""
    monkeypatch.setenv("VIDBENCH_FAKE_ABORT_AFTER", "2")
    with vb.open(tmp_path) as bench:
        job = bench.add(short_clip).describe()
        with pytest.raises(vb.VidbenchError, match="SIGABRT"):
            job.result(timeout=60)

        assert job.record.attempt == 2
        assert bench.files


def test_nothing_survives_the_owner(tmp_path, fakes, short_clip):
    """Workers end with a killed owner within seconds."""
    import psutil

    process = subprocess.Popen(
        [sys.executable, str(Path(__file__).parent / "owner_script.py"), str(tmp_path), str(short_clip)],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "VIDBENCH_FAKE_DELAY": "0.2"},
    )
    assert process.stdout is not None
    for line in process.stdout:
        if '"stage": "speech"' in line:
            break
    workers = psutil.Process(process.pid).children()
    process.kill()
    process.wait()
    deadline = time.monotonic() + 5
    while any(worker.is_running() and worker.status() != "zombie" for worker in workers):
        assert time.monotonic() < deadline, workers
        time.sleep(0.05)

    assert workers
