"""Jobs: compare-and-set, attempts, deaths, and the runs of a plan."""

from __future__ import annotations

import threading

import pytest

from vidbench.contract.ids import fresh_id
from vidbench.contract.jobs import JobRecord
from vidbench.contract.states import State
from vidbench.errors import NotFound
from vidbench.store.jobs import Link
from vidbench.store.store import Store


def make_job(key: str = "key", **changes: object) -> JobRecord:
    """A job that waits."""
    facts: dict = {
        "job_id": fresh_id(), "operation": "describe", "subject_id": "f1", "subject_name": "a.mp4",
        "config": {"enable_speech": False}, "key": key, "state": State.QUEUED, "attempt": 0, "created_at": 1000,
    }  # fmt: skip
    return JobRecord(**(facts | changes))


def test_a_job_comes_back_as_it_went_in(store: Store):
    """A new job is read back unchanged, alone and in the list."""
    job = make_job()
    store.jobs.create(job)

    assert store.jobs.get(job.job_id) == job
    assert store.jobs.list() == (job,)


def test_an_unknown_job_is_not_found(store: Store):
    """An id that no job has is NotFound."""
    with pytest.raises(NotFound):
        store.jobs.get("nope")


def test_the_newest_job_of_a_key_is_found(store: Store):
    """Of jobs with one key, made in the same millisecond, the later one is the answer."""
    first, second = make_job(), make_job()
    store.jobs.create(first)
    store.jobs.create(second)

    assert store.jobs.by_key("key") == second
    assert store.jobs.by_key("other") is None


def test_a_state_moves_only_from_where_it_was_expected(store: Store):
    """A transition from another state changes nothing and says so."""
    job = make_job()
    store.jobs.create(job)

    assert not store.jobs.transition(job.job_id, expect={State.RUNNING}, to=State.COMPLETED)
    assert store.jobs.transition(
        job.job_id, expect={State.QUEUED}, to=State.FAILED, error="No", hint="Try", finished_at=5
    )
    failed = store.jobs.get(job.job_id)
    assert (failed.state, failed.error, failed.hint, failed.finished_at) == (
        State.FAILED,
        "No",
        "Try",
        5,
    )


def test_of_many_who_claim_a_job_one_gets_it(store: Store):
    """Eight threads move the same job on: one succeeds."""
    job, won = make_job(), []
    store.jobs.create(job)

    def claim() -> None:
        won.append(store.jobs.transition(job.job_id, expect={State.QUEUED}, to=State.RUNNING))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(won) == [False] * 7 + [True]


def test_attempts_are_numbered_and_deaths_counted(store: Store):
    """Each attempt gets the next number; only those that ended in a death count as deaths."""
    job = make_job()
    store.jobs.create(job)
    for outcome in ("died", "interrupted", "died"):
        number = store.jobs.begin_attempt(job.job_id)
        store.jobs.end_attempt(job.job_id, number, outcome, "")

    assert number == 3
    assert store.jobs.get(job.job_id).attempt == 3
    assert store.jobs.deaths(job.job_id) == 2


def test_asking_again_forgives_earlier_deaths(store: Store):
    """After an explicit new wish, deaths are counted from nothing."""
    job = make_job()
    store.jobs.create(job)
    store.jobs.end_attempt(job.job_id, store.jobs.begin_attempt(job.job_id), "died", "")
    store.jobs.forgive(job.job_id)
    before = store.jobs.deaths(job.job_id)
    store.jobs.end_attempt(job.job_id, store.jobs.begin_attempt(job.job_id), "died", "")

    assert (before, store.jobs.deaths(job.job_id)) == (0, 1)


def test_an_attempt_that_nobody_ended_died_with_its_owner(folder):
    """An attempt is written before its work: at the next opening it can be closed as a death."""
    store = Store.open(folder)
    job = make_job()
    store.jobs.create(job)
    store.jobs.begin_attempt(job.job_id)
    store.close()

    again = Store.open(folder)
    again.jobs.close_open_attempts("died")
    assert again.jobs.deaths(job.job_id) == 1
    again.close()


def test_unfinished_jobs_come_oldest_first(store: Store):
    """Queued, running and interrupted jobs are unfinished; ended ones are not."""
    jobs = [make_job(key=str(n), state=state, created_at=n) for n, state in enumerate(State)]
    for job in reversed(jobs):
        store.jobs.create(job)

    assert [job.state for job in store.jobs.unfinished()] == [
        State.QUEUED,
        State.RUNNING,
        State.INTERRUPTED,
    ]


def test_stages_report_the_runs_of_the_plan(store: Store):
    """A stage's report tells the state of its run, in the order of the plan, and whether it was there before."""
    for run_id in ("r1", "r2"):
        store.runs.begin(run_id, "f1", "speech", "k", {}, {})
    store.runs.complete("r1", {}, 2.5, make_current=("speech",), index=False)
    job = make_job(created_at=2**52)
    store.jobs.create(job, [Link("scan", "r1"), Link("speech", "r2")])
    store.jobs.link_run(job.job_id, "summary", 2, "r3")

    reports = [(one.name, one.state, one.reused, one.seconds) for one in store.jobs.get(job.job_id).stages]
    assert reports == [
        ("scan", State.COMPLETED, True, 2.5),
        ("speech", State.RUNNING, False, 0.0),
        ("summary", State.QUEUED, False, 0.0),
    ]
    assert store.jobs.runs_of(job.job_id) == (
        Link("scan", "r1"),
        Link("speech", "r2"),
        Link("summary", "r3"),
    )
    assert store.jobs.of_run("r2") == store.jobs.get(job.job_id)
