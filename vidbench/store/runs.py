"""Runs: the rows, files and checkpoints of one stage on one file, and which run a file shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms, stable_id
from vidbench.contract.states import State
from vidbench.contract.work import ArtifactNote, Batch, Row
from vidbench.errors import NotFound, StoreError
from vidbench.store.tables import KEYS, TABLES, insert_sql

if TYPE_CHECKING:
    from vidbench.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run as it stands."""

    run_id: str
    file_id: str
    kind: str
    key: str
    state: State
    result: dict[str, Any]
    seconds: float


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Where an unfinished run goes on."""

    position: dict[str, Any]
    progress: float


class Runs:
    """The runs of a workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def get(self, run_id: str) -> Run | None:
        """The run of that id."""
        sql = "select run_id, file_id, kind, key, state, result, seconds from base.runs where run_id = ?"
        row = self._store.row(sql, run_id)
        if not row:
            return None
        return Run(**row | {"state": State(row["state"]), "result": json.loads(row["result"])})

    def begin(
        self,
        run_id: str,
        file_id: str,
        kind: str,
        key: str,
        parts: Mapping[str, object],
        provenance: Mapping[str, object],
    ) -> None:
        """Write a run down before its work starts; one that was begun before goes on, one that has ended stays."""
        names = "run_id, file_id, kind, key, key_parts, provenance, state, result, created_at"
        sql = f"insert or ignore into base.runs ({names}) values (?, ?, ?, ?, ?, ?, ?, '{{}}', ?)"
        values: list[object] = [
            run_id,
            file_id,
            kind,
            key,
            json.dumps(parts),
            json.dumps(provenance),
        ]
        values += [State.RUNNING, now_ms()]

        def change(cursor: Any) -> None:
            cursor.execute(sql, values)
            _set_state(cursor, run_id, State.RUNNING)

        self._store.write(change).result()

    def set_state(self, run_id: str, state: State) -> None:
        """Note that an unfinished run stands at *state* (interrupted, cancelled, failed); a finished one stays."""
        self._store.write(lambda cursor: _set_state(cursor, run_id, state)).result()

    def commit(self, run_id: str, file_id: str, batch: Batch) -> None:
        """Write a batch down: rows, artifact rows and the checkpoint, in one transaction. Twice is once.

        Raises:
            StoreError: a row has a column that its table lacks, or lacks one that it needs.
        """
        columns = _checked(run_id, file_id, batch)
        self._store.write(lambda cursor: _commit(cursor, run_id, columns, batch)).result()

    def complete(
        self,
        run_id: str,
        result: Mapping[str, Any],
        seconds: float,
        *,
        make_current: tuple[str, ...],
        index: bool,
        last: Batch | None = None,
    ) -> None:
        """Finish a run: its state, what the file shows and the outbox entry, in one transaction.

        Args:
            run_id: the run.
            result: what the stage has to say as a whole; joins the results of committed batches.
            seconds: time spent, added to what is there.
            make_current: kinds under which the file shows the run from now on.
            index: whether the search index has to learn of it.
            last: a batch that is committed in the same transaction.
        """
        columns = _checked(run_id, self._file_of(run_id), last) if last else {}

        def change(cursor: Any) -> None:
            if last:
                _commit(cursor, run_id, columns, last)
            _finish(cursor, run_id, result, seconds)
            sql = "update base.runs set kinds = ?, indexed = ? where run_id = ?"
            cursor.execute(sql, [",".join(make_current), index, run_id])
            _show(cursor, run_id, make_current, announce=index)

        self._store.write(change).result()

    def make_current(self, run_id: str, kinds: tuple[str, ...]) -> None:
        """Let the run's file show it, under *kinds*; the search index hears of it if that changes anything."""
        self._store.write(lambda cursor: _show(cursor, run_id, kinds)).result()

    def show_again(self, run_id: str) -> None:
        """Let the file show a finished run under the kinds that it had when it was completed."""
        row = self._store.row("select kinds from base.runs where run_id = ?", run_id)
        if row.get("kinds"):
            self.make_current(run_id, tuple(row["kinds"].split(",")))

    def _file_of(self, run_id: str) -> str:
        run = self.get(run_id)
        if run is None:
            raise NotFound(f"There is no run {run_id}")
        return run.file_id

    def current(self, file_id: str, kind: str) -> str:
        """The run that the file shows of *kind*; before there is one, the newest that is under way; else empty."""
        row = self._store.row("select run_id from base.shown where file_id = ? and kind = ?", file_id, kind)
        return str(row.get("run_id", ""))

    def checkpoint(self, run_id: str) -> Checkpoint:
        """Where the run goes on; at the start if nothing was committed."""
        row = self._store.row("select position, progress from base.checkpoints where run_id = ?", run_id)
        return Checkpoint(json.loads(row["position"]), row["progress"]) if row else Checkpoint({}, 0.0)

    def rows(self, run_id: str, table: str) -> list[dict[str, Any]]:
        """The run's rows of *table*, in order."""
        columns = ", ".join(f'"{name}"' for name in KEYS | TABLES[table])
        sql = f"select {columns} from base.{table} where run_id = ? order by ordinal"
        return self._store.rows(sql, run_id)

    def artifacts(self, run_id: str, kind: str) -> list[ArtifactNote]:
        """The run's files of *kind*, by name."""
        sql = "select kind, path, bytes, sha256 from base.artifacts where run_id = ? and kind = ? order by path"
        return [ArtifactNote(**row) for row in self._store.rows(sql, run_id, kind)]

    def words_of(self, speech_id: str) -> list[dict[str, Any]]:
        """The words of one line of speech."""
        sql = """
            select w.word, w.start_time, w.end_time, w.confidence from base.words w
            join base.speech s on s.run_id = w.run_id and s.ordinal = w.speech_ordinal
            where s.id = ? order by w.ordinal
        """
        return self._store.rows(sql, speech_id)

    def segment_at(self, file_id: str, seconds: float) -> str:
        """The id of the shown segment that holds *seconds*; the nearest one where none does."""
        sql = """
            select s.id from base.segments s
            join base.shown v on v.run_id = s.run_id and v.file_id = s.file_id and v.kind = 'segmentation'
            where s.file_id = ?
            order by (s.start_time <= $2 and $2 < s.end_time) desc, abs(s.start_time - $2) limit 1
        """.replace("?", "$1")
        return str(self._store.row(sql, file_id, seconds).get("id", ""))

    def speeds(self) -> dict[str, float]:
        """Stage -> seconds of work a second of media, as measured in this workspace."""
        sql = """
            select r.kind, sum(r.seconds) / sum((f.facts ->> 'duration_seconds')::double) as speed
            from base.runs r join base.files f on f.file_id = r.file_id
            where r.state = 'completed' and (f.facts ->> 'duration_seconds')::double > 1 group by r.kind
        """
        return {row["kind"]: row["speed"] for row in self._store.rows(sql)}


def columns_of(table: str, run_id: str, file_id: str, rows: Sequence[Row]) -> list[list[Any]]:
    """One list a column, in the order of ``insert_sql``; ids follow from run, table and ordinal.

    Raises:
        StoreError: there is no such table, or a row has a column that it lacks.
    """
    names = TABLES.get(table)
    unknown = {name for row in rows for name in row} - {"ordinal", *(names or ())}
    if names is None or unknown:
        what = f"no column {', '.join(sorted(unknown))}" if names else "no such table"
        raise StoreError(f"{table}: {what}", hint="vidbench.store.tables lists them.", field=table)
    ordinals = [row["ordinal"] for row in rows]
    ids = [stable_id(run_id, table, ordinal) for ordinal in ordinals]
    keys: list[list[Any]] = [ids, [run_id] * len(rows), [file_id] * len(rows), ordinals]
    return keys + [[row.get(name) for row in rows] for name in names]


def _checked(run_id: str, file_id: str, batch: Batch) -> dict[str, list[list[Any]]]:
    return {table: columns_of(table, run_id, file_id, rows) for table, rows in batch.rows.items() if rows}


def _commit(cursor: Any, run_id: str, columns: Mapping[str, list[list[Any]]], batch: Batch) -> None:
    for table, lists in columns.items():
        cursor.execute(insert_sql(table), [*lists, run_id])
    for note in batch.artifacts:
        values = [run_id, note.path, note.kind, note.bytes, note.sha256]
        cursor.execute("insert or replace into base.artifacts values (?, ?, ?, ?, ?)", values)
    result = _result_so_far(cursor, run_id) | batch.result
    values = [run_id, json.dumps(batch.position), batch.progress, json.dumps(result)]
    cursor.execute("insert or replace into base.checkpoints values (?, ?, ?, ?)", values)


def _finish(cursor: Any, run_id: str, result: Mapping[str, Any], seconds: float) -> None:
    # Committed batches have said part of the result, and whoever resumes has not heard it.
    told = _result_so_far(cursor, run_id) | dict(result)
    state = State.NOT_APPLICABLE if told.get("not_applicable") else State.COMPLETED
    sql = """
        update base.runs set state = ?, result = ?, seconds = seconds + ?, finished_at = ?
        where run_id = ?
    """
    cursor.execute(sql, [state, json.dumps(told), seconds, now_ms(), run_id])
    cursor.execute("delete from base.checkpoints where run_id = ?", [run_id])


def _result_so_far(cursor: Any, run_id: str) -> dict[str, Any]:
    sql = "select result from base.checkpoints where run_id = ?"
    row = cursor.execute(sql, [run_id]).fetchone()
    result: dict[str, Any] = json.loads(row[0]) if row else {}
    return result


def _set_state(cursor: Any, run_id: str, state: State) -> None:
    ended = [State.COMPLETED, State.NOT_APPLICABLE]
    sql = "update base.runs set state = ? where run_id = ? and state not in (?, ?)"
    cursor.execute(sql, [state, run_id, *ended])


def _show(cursor: Any, run_id: str, kinds: tuple[str, ...], *, announce: bool | None = None) -> None:
    """Make the run current under *kinds*; the index hears of it if *announce*, or if an indexed run came back."""
    sql = "select file_id, indexed from base.runs where run_id = ?"
    row = cursor.execute(sql, [run_id]).fetchone()
    if row is None:
        raise NotFound(f"There is no run {run_id}")
    file_id, indexed = row
    sql = "select count(*) from base.current where run_id = ?"
    shown = cursor.execute(sql, [run_id]).fetchone() != (0,)
    for kind in kinds:
        values = [file_id, kind, run_id]
        cursor.execute("insert or replace into base.current values (?, ?, ?)", values)
    if announce or (announce is None and indexed and kinds and not shown):
        sql = "insert into base.outbox (run_id, action) values (?, 'index')"
        cursor.execute(sql, [run_id])
