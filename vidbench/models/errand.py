"""What a source is asked to do."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from vidbench.contract.models import ModelEntry, ModelFile, ModelSource
from vidbench.models.download import Progress, onward
from vidbench.models.network import Network


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """Bring one model from one source into one folder.

    Attributes:
        entry: the model.
        source: where to get it.
        folder: where to put its files.
        network: clients and answers, shared by all errands of a pull.
        progress: called with bytes done and bytes in all.
    """

    entry: ModelEntry
    source: ModelSource
    folder: Path
    network: Network
    progress: Progress

    def members(self, file: ModelFile) -> tuple[str, ...]:
        """Paths inside the source that make up *file*: its own name where the catalogue says nothing."""
        return self.source.members.get(file.name, (file.name,))

    def onward(self, before: int) -> Progress:
        """Progress of what comes after *before* bytes."""
        return onward(self.progress, before, self.entry.bytes)
