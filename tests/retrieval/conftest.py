"""An index in a temporary folder, and passages for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from vidbench.retrieval.index import Index


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the index lies; the folder is not there yet."""
    return tmp_path / "indexes" / "index.sqlite"


@pytest.fixture
def index(path: Path) -> Iterator[Index]:
    """An empty index."""
    index = Index.open(path, "workspace")
    yield index
    index.close()


def _passages(run_id: str, texts: list[str]) -> list[dict[str, Any]]:
    return [
        {"id": f"{run_id}-{n}", "row_id": f"row-{n}", "kind": "speech", "text": text,
         "start_time": float(n), "end_time": n + 1.0}
        for n, text in enumerate(texts)
    ]  # fmt: skip


@pytest.fixture
def learn(index: Index) -> Callable[..., None]:
    """Takes a run in: ``learn("file", "run", ["text"], [[1.0, 0.0]])``."""

    def learn(file_id: str, run_id: str, texts: list[str], vectors: list[list[float]] | None = None) -> None:
        matrix = None if vectors is None else np.array(vectors, dtype=np.float32)
        seq = index.watermark + 1
        index.apply(seq, "index", run_id, file_id, _passages(run_id, texts), matrix)

    return learn
