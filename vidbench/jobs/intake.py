"""Taking a file in: probed and fingerprinted in the media worker, then known to the store."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms, stable_id
from vidbench.contract.media import FileRecord, MediaFacts
from vidbench.contract.validation import parse
from vidbench.contract.work import Batch, Unit
from vidbench.errors import InvalidInput
from vidbench.jobs.pool import Pool

if TYPE_CHECKING:
    from vidbench.store.store import Store


def take_in(store: Store, pool: Pool, path: Path) -> FileRecord:
    """Probe *path* and make it a file of the workspace; the same content is the same file.

    Raises:
        InvalidInput: there is no such file.
        MediaError: it holds no video or sound that can be read.
    """
    path = path.expanduser().absolute()
    if not path.is_file():
        what = "is a folder" if path.is_dir() else "does not exist"
        raise InvalidInput(
            f"{path} {what}",
            hint="Give a video or sound file; add_all() takes folders.",
            field="path",
            file=str(path),
        )
    seen = probe(pool, path)
    status = path.stat()
    record = FileRecord(
        file_id=stable_id("file", seen["fingerprint"]),
        fingerprint=seen["fingerprint"],
        filename=path.name,
        path=str(path),
        bytes=status.st_size,
        created_at=now_ms(),
        facts=parse(MediaFacts, seen["facts"]),
    )
    store.files.add(record)
    store.files.seen(record.file_id, str(path), status.st_size, status.st_mtime_ns)
    return store.files.get(record.file_id)


def probe(pool: Pool, path: Path) -> dict[str, Any]:
    """Facts and fingerprint of *path*, from the media worker."""
    answer: dict[str, Any] = {}

    def on_batch(batch: Batch) -> None:
        answer.update(batch.result)

    unit = Unit(stage="probe", run_id="", media=str(path))
    pool.ask("media", unit, on_batch=on_batch, cancelled=lambda: False)
    return answer
