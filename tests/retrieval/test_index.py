"""The index file: it follows, it replaces, and it can always be made anew."""

from __future__ import annotations

import logging
import sqlite3
import threading

import numpy as np
import pytest

from vidbench.errors import StoreError
from vidbench.retrieval.index import Index, index_path
from vidbench.retrieval.lexical import lexical
from vidbench.retrieval.search import search


def texts(index: Index) -> list[str]:
    """Every passage, in order."""
    return [row["text"] for row in index.rows("select text from passages order by number")]


def test_a_later_run_replaces_the_files_passages(index: Index, learn):
    """A file's passages are those of one run; other files keep theirs; old words are no longer found."""
    learn("a", "r1", ["apple", "pear"])
    learn("b", "r2", ["apple"])
    learn("a", "r3", ["plum"])

    assert texts(index) == ["apple", "plum"]
    assert lexical(index, "pear", None, 10) == []
    assert lexical(index, "apple", None, 10) == ["r2-0"]
    assert index.watermark == 3


def test_the_same_entry_twice_is_once(index: Index, learn):
    """An entry that is applied again after a crash changes nothing."""
    learn("a", "r1", ["apple"])
    learn("a", "r1", ["apple"])

    assert texts(index) == ["apple"]
    assert lexical(index, "apple", None, 10) == ["r1-0"]


def test_a_dropped_file_is_forgotten(index: Index, learn):
    """After `drop` neither rows nor words nor vectors of the file are left."""
    learn("a", "r1", ["apple"], [[1.0, 0.0]])
    index.apply(2, "drop", "r1", "a", [], None)

    assert texts(index) == []
    assert search(index, "apple", [1.0, 0.0], None, 10) == []
    assert not index.covers(["a"])


def test_an_entry_is_taken_in_whole_or_not_at_all(index: Index, learn):
    """A failure in the middle leaves passages, words and watermark as they were."""
    learn("a", "r1", ["apple"])
    broken = [
        {
            "id": "x",
            "row_id": "r",
            "kind": "speech",
            "text": None,
            "start_time": 0.0,
            "end_time": 1.0,
        }
    ]

    with pytest.raises(StoreError, match="cannot be written"):
        index.apply(2, "index", "r2", "a", broken, None)
    assert (texts(index), index.watermark) == (["apple"], 1)
    assert lexical(index, "apple", None, 10) == ["r1-0"]


def test_vectors_must_match_the_passages(index: Index, learn):
    """Fewer or more vectors than passages are refused rather than shifted."""
    with pytest.raises(StoreError, match="2 vectors for 1 passages"):
        learn("a", "r1", ["apple"], [[1.0], [2.0]])


def test_an_index_is_there_at_the_next_opening(index: Index, path, learn):
    """Passages, vectors and watermark are kept in the file."""
    learn("a", "r1", ["apple"], [[1.0, 0.0]])
    index.close()
    again = Index.open(path, "workspace")

    assert (texts(again), again.watermark) == (["apple"], 1)
    assert search(again, "", [1.0, 0.0], None, 1)[0].cosine == pytest.approx(1.0)
    again.close()


@pytest.mark.parametrize("damage", ["garbage", "empty", "truncated", "pages", "version", "workspace", "no meta"])
def test_an_index_that_cannot_be_used_is_made_anew(index: Index, path, learn, damage: str, caplog):
    """Damaged, of another version or of another workspace: it begins empty with watermark 0, and says so."""
    for number in range(50):
        learn(f"f{number}", f"r{number}", ["apple " * 100])
    index.rows("pragma wal_checkpoint(truncate)")
    index.close()
    content = path.read_bytes()
    if damage in {"version", "no meta"}:
        sql = "update meta set value = '0' where name = 'version'" if damage == "version" else "drop table meta"
        with sqlite3.connect(path) as connection:
            connection.execute(sql)
    else:
        bad = {"garbage": b"hello" * 1000, "empty": b"", "truncated": content[: len(content) // 2],
               "pages": content[:8192] + b"\x55" * (len(content) - 8192), "workspace": content}  # fmt: skip
        path.write_bytes(bad[damage])

    with caplog.at_level(logging.WARNING):
        again = Index.open(path, "another" if damage == "workspace" else "workspace")

    assert (texts(again), again.watermark) == ([], 0)
    assert "made anew" in caplog.text
    again.apply(1, "index", "r", "a", [], None)
    again.close()


def test_a_cache_that_cannot_be_written_is_an_error_with_a_remedy(tmp_path):
    """The hint names the variable that moves the cache."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="VIDBENCH_CACHE"):
        Index.open(tmp_path / "file" / "index.sqlite", "workspace")


def test_the_cache_folder_can_be_chosen(monkeypatch, tmp_path):
    """`VIDBENCH_CACHE` moves the index; a workspace has a file of its own."""
    monkeypatch.setenv("VIDBENCH_CACHE", str(tmp_path))

    assert index_path("one").is_relative_to(tmp_path)
    assert index_path("one") != index_path("two")


def test_many_threads_may_ask_while_one_learns(index: Index, learn):
    """Searches beside an index that changes see whole states, and nobody fails."""
    failed, ended = [], threading.Event()

    def ask() -> None:
        while not ended.is_set():
            hits = search(index, "apple", np.array([1.0, 0.0]), None, 10)
            if len(hits) not in {0, 2}:
                failed.append(hits)

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    for number in range(30):
        learn("a", f"r{number}", ["apple", "apple pie"], [[1.0, 0.0], [0.0, 1.0]])
    ended.set()
    for thread in threads:
        thread.join()

    assert failed == []
