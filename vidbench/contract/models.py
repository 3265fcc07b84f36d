"""Models: the roles they play, where they come from, and which file was used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Role = Literal["speech", "language", "scene_text", "embedding"]
ROLES: tuple[Role, ...] = ("speech", "language", "scene_text", "embedding")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFile:
    """One file of a model: name, size in bytes and SHA-256 in hex."""

    name: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSource:
    """A place where a model's files can be had.

    Attributes:
        kind: ``hub`` (a Hugging Face repository), ``wheel`` (package files opened as data), ``local``
            (a folder or file on this machine), ``package`` (files inside an installed library) or
            ``server`` (an OpenAI-compatible address).
        repository: hub repository, local path, library or server address.
        revision: hub commit.
        packages: ``name==version`` of each wheel, in order.
        members: file name of the model -> paths inside the wheels whose bytes, in order, make it up.
    """

    kind: Literal["hub", "wheel", "local", "package", "server"]
    repository: str = ""
    revision: str = ""
    packages: tuple[str, ...] = ()
    members: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelEntry:
    """A catalogue entry.

    Attributes:
        name: ``whisper-base``.
        role: the part it plays.
        tier: tiny, small, good, or the name of another catalogue.
        engine: name of the implementation, an entry point of the role's group.
        publisher: who trained it.
        licence: SPDX name of the weights' licence.
        files: what belongs to it.
        sources: where it can be had, best first.
        memory_mb: resident memory in use.
        context: tokens of context, 0 where it has none.
        options: what the engine needs to know.
    """

    name: str
    role: Role
    tier: str
    engine: str
    publisher: str
    licence: str
    files: tuple[ModelFile, ...]
    sources: tuple[ModelSource, ...]
    memory_mb: int = 0
    context: int = 0
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def checksum(self) -> str:
        """SHA-256 of the largest file: what provenance quotes. The name where it has no files."""
        largest = max(self.files, key=lambda file: file.bytes, default=None)
        return largest.sha256 if largest else self.name

    @property
    def bytes(self) -> int:
        """Size of all files."""
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A model that is ready to be loaded: what a worker is told.

    Attributes:
        path: folder that holds the files; empty where the engine needs none.
    """

    name: str
    role: Role
    engine: str
    path: str
    checksum: str
    context: int = 0
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelStatus:
    """A catalogue entry and whether its files are here."""

    entry: ModelEntry
    present: bool
    path: str
    source: str = ""
