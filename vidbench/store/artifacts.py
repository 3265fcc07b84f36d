"""The files of runs: one folder a run, below the fingerprint of the media it came from."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidbench.store.store import Store

logger = logging.getLogger(__name__)


class Artifacts:
    """The artifact folder of a workspace.

    Attributes:
        root: the folder that holds them all.
    """

    def __init__(self, store: Store, root: Path) -> None:
        self._store = store
        self.root = root

    def folder(self, fingerprint: str, run_id: str) -> Path:
        """Where the files of *run_id* lie."""
        return self.root / fingerprint / run_id

    def sweep(self) -> list[Path]:
        """Remove what no row refers to; what was removed.

        That is folders of unknown runs, and files whose batch was never committed. Only to be called while
        no worker writes: opening does.
        """
        removed = []
        for path in self._orphans():
            try:
                _remove(path)
            except OSError as error:  # it stays for the next sweep
                logger.warning("%s cannot be removed: %s", path, error)
            else:
                removed.append(path)
        return removed

    def usage(self) -> dict[str, int]:
        """Bytes by kind of artifact, as committed."""
        sql = "select kind, sum(bytes)::bigint as bytes from base.artifacts group by kind order by kind"
        return {row["kind"]: row["bytes"] for row in self._store.rows(sql)}

    def _orphans(self) -> Iterator[Path]:
        sql = """
            select r.run_id, f.fingerprint from base.runs r join base.files f on f.file_id = r.file_id
        """
        folders = {self.folder(row["fingerprint"], row["run_id"]): row["run_id"] for row in self._store.rows(sql)}
        files = {(row["run_id"], row["path"]) for row in self._store.rows("select run_id, path from base.artifacts")}
        for path in self.root.glob("*/*"):
            run_id = folders.get(path)
            if run_id is None:
                yield path
                continue
            for file in path.rglob("*"):
                known = (run_id, file.relative_to(path).as_posix()) in files
                if not known and (file.is_symlink() or not file.is_dir()):
                    yield file


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()
