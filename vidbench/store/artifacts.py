"""The files of runs: one folder a run, below the fingerprint of the media it came from."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidbench.store.store import Store


class Artifacts:
    """The artifact folder of a workspace."""

    def __init__(self, store: Store, root: Path) -> None:
        self._store = store
        self.root = root

    def folder(self, fingerprint: str, run_id: str) -> Path:
        """Where the files of *run_id* lie."""
        return self.root / fingerprint / run_id

    def sweep(self) -> list[Path]:
        """Remove what no row refers to: folders of unknown runs, files that were never committed."""
        runs = {row["run_id"] for row in self._store.rows("select run_id from base.runs")}
        known = {
            (row["run_id"], row["path"]) for row in self._store.rows("select run_id, path from base.artifacts")
        }
        removed = []
        for folder in self.root.glob("*/*"):
            if folder.name not in runs:
                shutil.rmtree(folder)
                removed.append(folder)
                continue
            for file in [path for path in folder.rglob("*") if path.is_file()]:
                if (folder.name, str(file.relative_to(folder))) not in known:
                    file.unlink()
                    removed.append(file)
        return removed
