"""Runs: batches that may be written twice, completion in one transaction, and what a file shows."""

from __future__ import annotations

import time

import pytest

from vidbench.contract.ids import stable_id
from vidbench.contract.states import State
from vidbench.contract.work import ArtifactNote, Batch
from vidbench.errors import NotFound, StoreError
from vidbench.store.store import Store

NOTE = ArtifactNote(kind="curve", path="curve-0000.npz", bytes=3, sha256="aa")


def begin(store: Store, run_id: str = "r1", kind: str = "speech") -> None:
    """Write a run down."""
    store.runs.begin(run_id, "f1", kind, f"key {run_id}", {"stage": kind}, {"models": {}})


def test_a_batch_written_twice_is_there_once(store: Store, speech_row):
    """Rows, artifacts and checkpoint of a batch that comes again change nothing."""
    begin(store)
    batch = Batch(
        rows={"speech": [speech_row(0), speech_row(1)]},
        artifacts=[NOTE],
        position={"at": 2},
        progress=0.5,
    )
    store.runs.commit("r1", "f1", batch)
    first = store.runs.rows("r1", "speech")
    store.runs.commit("r1", "f1", batch)

    assert store.runs.rows("r1", "speech") == first
    assert [row["id"] for row in first] == [stable_id("r1", "speech", ordinal) for ordinal in (0, 1)]
    assert store.runs.artifacts("r1", "curve") == [NOTE]
    assert store.runs.checkpoint("r1").position == {"at": 2}


def test_a_batch_that_overlaps_adds_what_is_new(store: Store, speech_row):
    """A resumed stage that yields some rows again adds the others, in order of their ordinals."""
    begin(store)
    store.runs.commit("r1", "f1", Batch(rows={"speech": [speech_row(1, "one")]}))
    store.runs.commit(
        "r1",
        "f1",
        Batch(rows={"speech": [speech_row(0, "zero"), speech_row(1, "changed"), speech_row(2)]}),
    )

    assert [row["text"] for row in store.runs.rows("r1", "speech")] == ["zero", "one", "hello"]


def test_the_same_ordinals_of_two_runs_are_different_rows(store: Store, speech_row):
    """Rows of one run never hide those of another."""
    for run_id in ("r1", "r2"):
        begin(store, run_id)
        store.runs.commit(run_id, "f1", Batch(rows={"speech": [speech_row(0)]}))

    assert store.runs.rows("r1", "speech")[0]["id"] != store.runs.rows("r2", "speech")[0]["id"]


def test_a_batch_with_a_bad_row_leaves_no_trace(store: Store, speech_row):
    """One row that cannot be written keeps the whole batch out: rows, artifacts and checkpoint."""
    begin(store)
    bad = Batch(
        rows={
            "segments": [{"ordinal": 0, "start_time": 0.0, "end_time": 1.0}],
            "speech": [speech_row(0) | {"text": None}],
        },
        artifacts=[NOTE],
        position={"at": 1},
    )

    with pytest.raises(StoreError):
        store.runs.commit("r1", "f1", bad)
    assert store.runs.rows("r1", "segments") == []
    assert store.runs.artifacts("r1", "curve") == []
    assert store.runs.checkpoint("r1").position == {}


@pytest.mark.parametrize(("table", "column"), [("speech", "colour"), ("nope", "text")])
def test_a_column_or_table_that_nobody_knows_is_refused(store: Store, speech_row, table: str, column: str):
    """Nothing a stage yields is dropped in silence."""
    begin(store)

    with pytest.raises(StoreError, match=f"{table}: no "):
        store.runs.commit("r1", "f1", Batch(rows={table: [speech_row(0) | {column: "red"}]}))


def test_an_empty_text_and_a_hostile_text_are_just_text(store: Store, speech_row):
    """Quotes, NUL-free control characters and emoji come back as they were."""
    begin(store)
    texts = ["", "'; drop table base.speech; --", "\x01\n\t", "🎬 ça, 漢字"]
    store.runs.commit("r1", "f1", Batch(rows={"speech": [speech_row(n, text) for n, text in enumerate(texts)]}))

    assert [row["text"] for row in store.runs.rows("r1", "speech")] == texts


def test_a_completed_run_is_current_and_announced(store: Store):
    """State, result, what the file shows and the outbox entry come together; the checkpoint goes."""
    begin(store)
    store.runs.commit("r1", "f1", Batch(position={"at": 1}))
    store.runs.complete("r1", {"lines": 3}, 1.5, make_current=("speech",), index=True)
    run = store.runs.get("r1")

    assert run is not None
    assert (run.state, run.result, run.seconds) == (State.COMPLETED, {"lines": 3}, 1.5)
    assert store.runs.current("f1", "speech") == "r1"
    assert [entry.run_id for entry in store.outbox.pending(0)] == ["r1"]
    assert store.runs.checkpoint("r1").position == {}


def test_the_last_batch_and_the_completion_are_one_transaction(store: Store, speech_row):
    """If the last batch cannot be written the run is not completed either."""
    begin(store)
    bad = Batch(rows={"speech": [speech_row(0) | {"text": None}]})

    with pytest.raises(StoreError):
        store.runs.complete("r1", {}, 1.0, make_current=("speech",), index=True, last=bad)
    assert store.runs.get("r1").state is State.RUNNING
    assert store.outbox.pending(0) == []

    good = Batch(rows={"speech": [speech_row(0)]}, result={"lines": 1})
    store.runs.complete("r1", {}, 1.0, make_current=("speech",), index=True, last=good)
    assert len(store.runs.rows("r1", "speech")) == 1
    assert store.runs.get("r1").result == {"lines": 1}


def test_a_result_survives_the_death_of_who_heard_it(store: Store):
    """What committed batches said as a whole is in the result even if whoever completes has not heard it."""
    begin(store)
    store.runs.commit("r1", "f1", Batch(position={"at": 1}, result={"a": 1, "b": 1}))
    store.runs.commit("r1", "f1", Batch(position={"at": 2}, result={"b": 2}))
    store.runs.complete("r1", {"c": 3}, 0.0, make_current=(), index=False)

    assert store.runs.get("r1").result == {"a": 1, "b": 2, "c": 3}


def test_a_run_that_was_begun_goes_on(store: Store, speech_row):
    """Beginning again keeps rows and checkpoint and sets an interrupted run going; a finished run stays finished."""
    begin(store)
    store.runs.commit("r1", "f1", Batch(rows={"speech": [speech_row(0)]}, position={"at": 1}))
    store.runs.set_state("r1", State.INTERRUPTED)
    begin(store)

    assert store.runs.get("r1").state is State.RUNNING
    assert store.runs.checkpoint("r1").position == {"at": 1}

    store.runs.complete("r1", {}, 0.0, make_current=(), index=False)
    begin(store)
    store.runs.set_state("r1", State.FAILED)
    assert store.runs.get("r1").state is State.COMPLETED


def test_a_run_that_does_not_apply_ends_as_such(store: Store):
    """A stage that says so ends in NOT_APPLICABLE and shows nothing."""
    begin(store)
    store.runs.complete("r1", {"not_applicable": True}, 0.0, make_current=(), index=False)

    assert store.runs.get("r1").state is State.NOT_APPLICABLE
    assert store.runs.current("f1", "speech") == ""


def test_going_back_to_an_earlier_run_reaches_the_index(store: Store, add_file, add_run):
    """Showing an indexed run again leaves an outbox entry; showing what is shown already does not."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"])
    add_run("r2", file.file_id, ["two"])
    seen = store.outbox.pending(0)[-1].seq
    store.runs.show_again("r1")
    store.runs.show_again("r1")
    entries = store.outbox.pending(seen)

    assert [entry.run_id for entry in entries] == ["r1"]
    assert store.runs.current(file.file_id, "speech") == "r1"


def test_a_run_that_is_not_there_cannot_be_shown(store: Store):
    """Making an unknown run current is NotFound, not a row that points nowhere."""
    with pytest.raises(NotFound):
        store.runs.make_current("nope", ("speech",))


def test_many_rows_are_written_quickly(store: Store):
    """Two thousand words take well under a second, and again under a second when they are there already."""
    begin(store)
    words = [
        {
            "ordinal": n,
            "speech_ordinal": 0,
            "word": "w",
            "start_time": 0.0,
            "end_time": 1.0,
            "confidence": None,
        }
        for n in range(2000)
    ]
    started = time.monotonic()
    for _ in range(2):
        store.runs.commit("r1", "f1", Batch(rows={"words": words}))

    assert time.monotonic() - started < 2
    assert len(store.runs.rows("r1", "words")) == 2000
