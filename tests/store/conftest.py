"""A store in a temporary folder, and files, runs and rows to put into it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from facts import make_facts

from vidbench.contract.media import FileRecord
from vidbench.contract.work import Batch, Row
from vidbench.store.store import Store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace folder."""
    return tmp_path / "workspace"


def _speech_row(ordinal: int, text: str = "hello") -> Row:
    """A line of speech of a second."""
    return {
        "ordinal": ordinal,
        "start_time": float(ordinal),
        "end_time": ordinal + 1.0,
        "text": text,
        "speaker": None,
        "language": "en",
        "confidence": 0.9,
        "no_speech": 0.1,
    }


@pytest.fixture
def store(folder: Path) -> Iterator[Store]:
    """An open store."""
    store = Store.open(folder)
    yield store
    store.close()


@pytest.fixture
def add_file(store: Store) -> Callable[..., FileRecord]:
    """Takes a file in: ``add_file("a.mp4", path="/videos/a.mp4")``."""

    def add(name: str, *, path: str = "", **changes: object) -> FileRecord:
        path = path or f"/videos/{name}"
        file_id = f"file-of-{path}"
        facts = make_facts(**changes)
        record = FileRecord(
            file_id=file_id, fingerprint=f"print-{len(store.files.list())}", filename=name, path=path,
            bytes=1000, created_at=len(store.files.list()), facts=facts,
        )  # fmt: skip
        store.files.add(record)
        store.files.seen(file_id, path, 1000, 1)
        return record

    return add


@pytest.fixture
def speech_row() -> Callable[..., Row]:
    """A line of speech of a second: ``speech_row(0, "hello")``."""
    return _speech_row


@pytest.fixture
def add_run(store: Store) -> Callable[..., str]:
    """Makes a run of speech: ``add_run("run-1", "file-1", ["hello"], finished=True)``."""

    def add(run_id: str, file_id: str, texts: list[str], *, finished: bool = True) -> str:
        store.runs.begin(run_id, file_id, "speech", f"key of {run_id}", {}, {"models": {}})
        rows = [_speech_row(ordinal, text) for ordinal, text in enumerate(texts)]
        store.runs.commit(run_id, file_id, Batch(rows={"speech": rows}, position={"n": len(rows)}))
        if finished:
            store.runs.complete(run_id, {}, 1.0, make_current=("speech",), index=True)
        return run_id

    return add
