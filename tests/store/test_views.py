"""What analysts see: one run a kind, switched by current, unfinished rows only where there is nothing else."""

from __future__ import annotations

import pytest

from vidbench.contract.states import State
from vidbench.contract.work import Batch
from vidbench.store.query import describe_views
from vidbench.store.store import Store

TIMED = ("speech", "words", "scene_text", "segments", "shots")


def spoken(store: Store, view: str = "speech") -> list[tuple[str, str]]:
    """Run and text of every line of a view."""
    return [(row["run_id"], row["text"]) for row in store.rows(f"select run_id, text from {view} order by all")]


def segmented(store: Store, run_id: str, file_id: str, ends: list[float], *, finished: bool = True) -> None:
    """A segmentation into shots that end at *ends*."""
    store.runs.begin(run_id, file_id, "segmentation", run_id, {}, {})
    spans = [
        {"ordinal": n, "start_time": start, "end_time": end}
        for n, (start, end) in enumerate(zip([0.0, *ends], ends, strict=False))
    ]
    store.runs.commit(run_id, file_id, Batch(rows={"segments": spans, "shots": spans}))
    if finished:
        store.runs.complete(run_id, {}, 1.0, make_current=("segmentation", "shots"), index=False)


def summarised(store: Store, run_id: str, file_id: str, segment_ids: list[str]) -> None:
    """A summary of a file and of some of its segments."""
    store.runs.begin(run_id, file_id, "summary", run_id, {}, {})
    times = {"start_time": 0.0, "end_time": 1.0, "claims": "[]"}
    parts = [
        {"ordinal": n, "segment_id": one, "title": f"T{n}", "summary": f"S{n}", **times}
        for n, one in enumerate(segment_ids)
    ]
    whole = [{"ordinal": 0, "title": "Title", "summary": "Summary", "claims": "[]"}]
    store.runs.commit(run_id, file_id, Batch(rows={"segment_summaries": parts, "file_summaries": whole}))
    store.runs.complete(run_id, {}, 1.0, make_current=("summary",), index=False)


@pytest.mark.parametrize("name", TIMED)
def test_every_row_says_where_it_is_and_where_it_came_from(store: Store, name: str):
    """Views of what has a time, current or of all runs, have file, times and run; current ones tell of gaps."""
    views = describe_views(store)

    assert {"file_id", "filename", "start_time", "end_time", "run_id"} <= set(views[name])
    assert {"file_id", "filename", "start_time", "end_time", "run_id"} <= set(views[f"all_{name}"])
    assert views[name]["incomplete"] == "BOOLEAN"


def test_a_view_shows_the_current_run_and_all_shows_every_run(store: Store, add_file, add_run):
    """The run that finished last is shown until another is chosen; `all_speech` has both."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"])
    add_run("r2", file.file_id, ["two"])

    assert spoken(store) == [("r2", "two")]
    store.runs.make_current("r1", ("speech",))
    assert spoken(store) == [("r1", "one")]
    assert spoken(store, "all_speech") == [("r1", "one"), ("r2", "two")]


def test_unfinished_rows_show_only_before_the_first_finished_run(store: Store, add_file, add_run):
    """Rows of a run under way are there, marked, until a run finishes; later runs stay hidden until they do."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"], finished=False)
    assert store.row("select text, incomplete from speech") == {"text": "one", "incomplete": True}

    store.runs.complete("r1", {}, 1.0, make_current=("speech",), index=False)
    assert store.row("select text, incomplete from speech") == {"text": "one", "incomplete": False}

    add_run("r2", file.file_id, ["two"], finished=False)
    assert spoken(store) == [("r1", "one")]


def test_of_several_unfinished_runs_the_newest_shows(store: Store, add_file, add_run):
    """Two attempts with different settings never mix their rows; a failed one still shows what it found."""
    file = add_file("a.mp4")
    add_run("r1", file.file_id, ["one"], finished=False)
    store.write(lambda cursor: cursor.execute("update base.runs set created_at = 1")).result()
    add_run("r2", file.file_id, ["two"], finished=False)
    store.runs.set_state("r2", State.FAILED)

    assert spoken(store) == [("r2", "two")]


def test_files_do_not_disturb_one_another(store: Store, add_file, add_run):
    """A finished run of one file hides nothing of another's run under way."""
    first, second = add_file("a.mp4"), add_file("b.mp4")
    add_run("r1", first.file_id, ["one"])
    add_run("r2", second.file_id, ["two"], finished=False)

    assert store.rows("select filename, incomplete from speech order by filename") == [
        {"filename": "a.mp4", "incomplete": False},
        {"filename": "b.mp4", "incomplete": True},
    ]


def test_shots_in_the_making_show_too(store: Store, add_file):
    """A first segmentation under way shows its segments and its shots; the second shows neither until it is done."""
    file = add_file("a.mp4")
    segmented(store, "r1", file.file_id, [1.0, 2.0], finished=False)
    assert [row["incomplete"] for row in store.rows("from shots")] == [True, True]
    assert [row["incomplete"] for row in store.rows("from segments")] == [True, True]

    store.runs.complete("r1", {}, 1.0, make_current=("segmentation", "shots"), index=False)
    segmented(store, "r2", file.file_id, [5.0], finished=False)
    assert {row["run_id"] for row in store.rows("select run_id from shots")} == {"r1"}


def test_segments_have_the_titles_of_the_current_summary(store: Store, add_file):
    """Title and summary stand beside the segments they were written about, and beside no others."""
    file = add_file("a.mp4")
    segmented(store, "r1", file.file_id, [1.0, 2.0])
    ids = [row["segment_id"] for row in store.rows("select segment_id from segments")]
    summarised(store, "s1", file.file_id, ids)
    titles = "select title, summary from segments"
    assert store.rows(titles) == [
        {"title": "T0", "summary": "S0"},
        {"title": "T1", "summary": "S1"},
    ]

    segmented(store, "r2", file.file_id, [2.0])
    assert store.rows(titles) == [{"title": None, "summary": None}]


def test_a_file_has_the_title_of_its_current_summary(store: Store, add_file):
    """`files` has title, summary, place and facts, and the run they came from."""
    file = add_file("a.mp4", duration_seconds=12.5, width=640)
    summarised(store, "s1", file.file_id, [])
    row = store.row("from files")

    assert (row["title"], row["summary"], row["run_id"]) == ("Title", "Summary", "s1")
    assert (row["path"], row["duration_seconds"], row["width"], row["has_audio"]) == (
        file.path,
        12.5,
        640,
        True,
    )


def test_words_know_their_line(store: Store, add_file, speech_row):
    """A word's `speech_id` is the id of the line it belongs to."""
    file = add_file("a.mp4")
    word = {
        "ordinal": 0,
        "speech_ordinal": 0,
        "word": "hi",
        "start_time": 0.0,
        "end_time": 0.5,
        "confidence": 0.5,
    }
    store.runs.begin("r1", file.file_id, "speech", "k", {}, {})
    store.runs.commit("r1", file.file_id, Batch(rows={"speech": [speech_row(0)], "words": [word]}))
    line = store.row("select speech_id from speech")

    assert store.row("select speech_id from words") == line
    assert [one["word"] for one in store.runs.words_of(line["speech_id"])] == ["hi"]


def test_a_run_says_where_it_came_from(store: Store, add_file):
    """`runs` names models, checksums, prompts, version and time spent."""
    file = add_file("a.mp4")
    models = {"speech": {"name": "whisper-base", "checksum": "ab"}}
    provenance = {"models": models, "prompts": "cd", "vidbench": "1.2"}
    store.runs.begin("r1", file.file_id, "speech", "k", {}, provenance)
    store.runs.complete("r1", {}, 2.5, make_current=("speech",), index=False)
    row = store.row("from runs")

    assert (row["model_names"], row["model_checksums"]) == (["whisper-base"], ["ab"])
    assert (row["prompt_hash"], row["vidbench_version"], row["seconds"]) == ("cd", "1.2", 2.5)
    assert row["is_current"]
