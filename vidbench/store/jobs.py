"""Jobs, their attempts, and the runs that they made or found."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms
from vidbench.contract.jobs import JobRecord, StageReport
from vidbench.contract.states import LIVE, State
from vidbench.errors import NotFound

if TYPE_CHECKING:
    from vidbench.store.store import Store

_SELECT = """
select j.*, (select count(*) from base.attempts a where a.job_id = j.job_id) as attempt from base.jobs j
"""
MUTABLE = frozenset({"error", "error_kind", "hint", "finished_at", "result_id"})
"""What a transition may change besides the state."""


@dataclass(frozen=True, slots=True)
class Link:
    """The run of one stage of a job."""

    stage: str
    run_id: str


class Jobs:
    """The jobs of a workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, record: JobRecord, links: Collection[Link] = ()) -> None:
        """Write a new job down, with the runs that its plan names."""
        names = "job_id, operation, subject_id, subject_name, config, key, state, result_id, created_at"
        values = [record.job_id, record.operation, record.subject_id, record.subject_name]
        values += [json.dumps(record.config), record.key, record.state, record.result_id]

        def change(cursor: Any) -> None:
            sql = f"insert into base.jobs ({names}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)"
            cursor.execute(sql, [*values, record.created_at])
            for ordinal, link in enumerate(links):
                row = [record.job_id, ordinal, link.stage, link.run_id]
                cursor.execute("insert into base.job_runs values (?, ?, ?, ?)", row)

        self._store.write(change).result()

    def get(self, job_id: str) -> JobRecord:
        """The job of that id.

        Raises:
            NotFound: there is none.
        """
        row = self._store.row(f"{_SELECT} where j.job_id = ?", job_id)
        if not row:
            raise NotFound(f"There is no job {job_id}")
        return self._records([row])[0]

    def list(self) -> tuple[JobRecord, ...]:
        """Every job, newest first."""
        sql = f"{_SELECT} order by j.created_at desc, j.job_id desc"
        return self._records(self._store.rows(sql))

    def by_key(self, key: str) -> JobRecord | None:
        """The newest job with that key."""
        row = self._store.row(f"{_SELECT} where j.key = ? order by j.created_at desc, j.job_id desc limit 1", key)
        return next(iter(self._records([row])), None) if row else None

    def of_run(self, run_id: str) -> JobRecord | None:
        """The first job that named *run_id* in its plan."""
        where = "where j.job_id in (select job_id from base.job_runs where run_id = ?) order by j.created_at limit 1"
        row = self._store.row(f"{_SELECT} {where}", run_id)
        return next(iter(self._records([row])), None) if row else None

    def link_run(self, job_id: str, stage: str, ordinal: int, run_id: str) -> None:
        """Note that stage *ordinal* of the job's plan is *run_id*."""
        values = [job_id, ordinal, stage, run_id]
        sql = "insert or replace into base.job_runs values (?, ?, ?, ?)"
        self._store.write(lambda cursor: cursor.execute(sql, values)).result()

    def runs_of(self, job_id: str) -> tuple[Link, ...]:
        """The runs of a job, in the order of its plan."""
        rows = self._store.rows("select stage, run_id from base.job_runs where job_id = ? order by ordinal", job_id)
        return tuple(Link(row["stage"], row["run_id"]) for row in rows)

    def unfinished(self) -> tuple[JobRecord, ...]:
        """Jobs that have not ended, oldest first."""
        states = ", ".join(f"'{state}'" for state in sorted(LIVE))
        sql = f"{_SELECT} where j.state in ({states}) order by j.created_at, j.job_id"
        return self._records(self._store.rows(sql))

    def transition(self, job_id: str, *, expect: Collection[State], to: State, **fields: object) -> bool:
        """Move a job to state *to* if it is in one of *expect*; whether it was.

        Args:
            job_id: the job.
            expect: states to move from.
            to: state to move to.
            fields: what else changes, of ``MUTABLE``.
        """
        assert set(fields) <= MUTABLE
        changes = ", ".join(["state = ?", *(f"{name} = ?" for name in fields)])
        places = ", ".join("?" * len(expect))
        sql = f"update base.jobs set {changes} where job_id = ? and state in ({places}) returning job_id"
        values = [to, *fields.values(), job_id, *expect]
        return bool(self._store.write(lambda cursor: cursor.execute(sql, values).fetchall()).result())

    def begin_attempt(self, job_id: str) -> int:
        """Write an attempt down before it starts; its number, from 1."""

        def change(cursor: Any) -> int:
            count = cursor.execute("select count(*) from base.attempts where job_id = ?", [job_id]).fetchone()
            number = int(count[0]) + 1
            sql = "insert into base.attempts (job_id, number, started_at) values (?, ?, ?)"
            cursor.execute(sql, [job_id, number, now_ms()])
            return number

        return self._store.write(change).result()

    def end_attempt(self, job_id: str, number: int, outcome: str, detail: str) -> None:
        """Write down how an attempt ended: completed, failed, cancelled, interrupted or died."""
        sql = "update base.attempts set ended_at = ?, outcome = ?, detail = ? where job_id = ? and number = ?"
        values = [now_ms(), outcome, detail, job_id, number]
        self._store.write(lambda cursor: cursor.execute(sql, values)).result()

    def close_open_attempts(self, outcome: str) -> None:
        """Give every attempt without an end *outcome*: its owner went away in the middle of it."""
        sql = "update base.attempts set ended_at = ?, outcome = ? where outcome is null"
        self._store.write(lambda cursor: cursor.execute(sql, [now_ms(), outcome])).result()

    def deaths(self, job_id: str) -> int:
        """Attempts that ended in a death since somebody last asked for the job again."""
        sql = """
            select count(*) as deaths from base.attempts a join base.jobs j on j.job_id = a.job_id
            where a.job_id = ? and a.outcome = 'died' and a.number > j.forgiven
        """
        return int(self._store.row(sql, job_id)["deaths"])

    def forgive(self, job_id: str) -> None:
        """Forget earlier deaths: somebody asks for the job again."""
        count = "(select count(*) from base.attempts a where a.job_id = jobs.job_id)"
        sql = f"update base.jobs set forgiven = {count} where job_id = ?"
        self._store.write(lambda cursor: cursor.execute(sql, [job_id])).result()

    def _records(self, rows: Sequence[dict[str, Any]]) -> tuple[JobRecord, ...]:
        stages = self._stages([row["job_id"] for row in rows])
        return tuple(_record(row, stages.get(row["job_id"], ())) for row in rows)

    def _stages(self, job_ids: Sequence[str]) -> dict[str, tuple[StageReport, ...]]:
        """Job -> a report for each of its stages, for many jobs in one query."""
        sql = """
            select l.job_id, l.stage, l.run_id, coalesce(r.state, 'queued') as state,
                coalesce(r.seconds, 0.0) as seconds, coalesce(c.progress, 0.0) as progress,
                coalesce(r.finished_at < j.created_at, false) as reused
            from base.job_runs l
            join base.jobs j on j.job_id = l.job_id
            left join base.runs r on r.run_id = l.run_id
            left join base.checkpoints c on c.run_id = l.run_id
            where l.job_id in (select unnest(?::varchar[])) order by l.job_id, l.ordinal
        """
        reports: dict[str, tuple[StageReport, ...]] = {}
        for row in self._store.rows(sql, job_ids):
            job_id = row["job_id"]
            reports[job_id] = (*reports.get(job_id, ()), _report(row))
        return reports


def _report(row: dict[str, Any]) -> StageReport:
    return StageReport(
        name=row["stage"],
        run_id=row["run_id"],
        state=State(row["state"]),
        reused=row["reused"],
        seconds=row["seconds"],
        progress=1.0 if row["state"] == State.COMPLETED else row["progress"],
    )


def _record(row: dict[str, Any], stages: tuple[StageReport, ...]) -> JobRecord:
    state = State(row["state"])
    plain = {
        name: row[name]
        for name in (
            *("job_id", "operation", "subject_id", "subject_name", "key", "attempt", "created_at"),
            *("error", "error_kind", "hint", "result_id"),
        )
    }
    return JobRecord(
        **plain,
        config=json.loads(row["config"]),
        state=state,
        progress=1.0 if state is State.COMPLETED else 0.0,
        finished_at=row["finished_at"] if state.ended else None,
        stages=stages,
    )
