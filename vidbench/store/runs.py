"""Runs: the rows, files and checkpoints of one stage on one file, and which run a file shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms, stable_id
from vidbench.contract.states import State
from vidbench.contract.work import ArtifactNote, Batch, Row
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
        """Write a run down before its work starts; one that was begun before stays."""
        names = "run_id, file_id, kind, key, key_parts, provenance, state, result, created_at"
        sql = f"insert or ignore into base.runs ({names}) values (?, ?, ?, ?, ?, ?, ?, '{{}}', ?)"  # noqa: S608
        values = [run_id, file_id, kind, key, json.dumps(parts), json.dumps(provenance), State.RUNNING, now_ms()]
        self._store.write(lambda cursor: cursor.execute(sql, values)).result()

    def commit(self, run_id: str, file_id: str, batch: Batch) -> None:
        """Write a batch down: rows, artifact rows and the checkpoint, in one transaction. Twice is once."""

        def change(cursor: Any) -> None:
            for table, rows in batch.rows.items():
                if rows:
                    cursor.execute(insert_sql(table), columns_of(table, run_id, file_id, rows))
            for note in batch.artifacts:
                values = [run_id, note.path, note.kind, note.bytes, note.sha256]
                cursor.execute("insert or replace into base.artifacts values (?, ?, ?, ?, ?)", values)
            values = [run_id, json.dumps(batch.position), batch.progress]
            cursor.execute("insert or replace into base.checkpoints values (?, ?, ?)", values)

        self._store.write(change, urgent=False).result()

    def complete(
        self, run_id: str, result: Mapping[str, Any], seconds: float, *, make_current: tuple[str, ...], index: bool
    ) -> None:
        """Finish a run: its state, what the file shows and the outbox entry, in one transaction."""
        state = State.NOT_APPLICABLE if result.get("not_applicable") else State.COMPLETED

        def change(cursor: Any) -> None:
            sql = "update base.runs set state = ?, result = ?, seconds = seconds + ?, finished_at = ? where run_id = ?"
            cursor.execute(sql, [state, json.dumps(dict(result)), seconds, now_ms(), run_id])
            cursor.execute("delete from base.checkpoints where run_id = ?", [run_id])
            _show(cursor, run_id, make_current)
            if index:
                cursor.execute("insert into base.outbox (run_id, action) values (?, 'index')", [run_id])

        self._store.write(change).result()

    def make_current(self, run_id: str, kinds: tuple[str, ...]) -> None:
        """Let the run's file show it, under *kinds*."""
        self._store.write(lambda cursor: _show(cursor, run_id, kinds)).result()

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
        sql = f"select {columns} from base.{table} where run_id = ? order by ordinal"  # noqa: S608 - names are ours
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
    """One list a column, in the order of ``insert_sql``; ids follow from run, table and ordinal."""
    ordinals = [row["ordinal"] for row in rows]
    ids = [stable_id(run_id, table, ordinal) for ordinal in ordinals]
    keys: list[list[Any]] = [ids, [run_id] * len(rows), [file_id] * len(rows), ordinals]
    return keys + [[row.get(name) for row in rows] for name in TABLES[table]]


def _show(cursor: Any, run_id: str, kinds: tuple[str, ...]) -> None:
    for kind in kinds:
        sql = "insert or replace into base.current select file_id, ?, run_id from base.runs where run_id = ?"
        cursor.execute(sql, [kind, run_id])
