"""Where models lie on disk, and whether what lies there is whole."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from vidbench.contract.models import ModelEntry, ModelFile
from vidbench.errors import StoreError

MODELS_VARIABLE = "VIDBENCH_MODELS"
"""Environment variable that names another folder for all models."""
MANIFEST = "manifest.json"
BLOCK_BYTES = 1 << 20


def models_folder() -> Path:
    """The folder that holds one folder a model: ``$VIDBENCH_MODELS``, else the user's data folder.

    It is no cache folder: what makes vidbench work without a network must survive a cleaner.
    """
    chosen = os.environ.get(MODELS_VARIABLE, "")
    if chosen:
        return Path(chosen).expanduser().absolute()
    from platformdirs import user_data_path

    return user_data_path("vidbench", appauthor=False) / "models"


def folder_of(entry: ModelEntry) -> Path:
    """The folder of one model, there or not."""
    return models_folder() / entry.name


def manifest_of(entry: ModelEntry) -> dict[str, Any]:
    """What was recorded when the model was pulled; empty where nothing was."""
    try:
        found = json.loads((folder_of(entry) / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def recorded(entry: ModelEntry) -> ModelEntry:
    """*entry* with the sizes and checksums that were recorded at its download.

    This fills in what a catalogue leaves to the hub's metadata.
    """
    known = {file["name"]: ModelFile(**file) for file in manifest_of(entry).get("files", [])}
    return replace(entry, files=tuple(known.get(file.name, file) for file in entry.files))


def is_whole(entry: ModelEntry) -> bool:
    """Whether every file was verified once, by the catalogue's own sums, and still has its size.

    Cheap: nothing is hashed. ``verify`` hashes.
    """
    known = {file["name"]: file for file in manifest_of(entry).get("files", [])}
    return all(_stands(file, known.get(file.name), folder_of(entry)) for file in entry.files)


def _stands(file: ModelFile, noted: dict[str, Any] | None, folder: Path) -> bool:
    if noted is None or (file.sha256 and file.sha256 != noted["sha256"]):
        return False
    path = folder / file.name
    return path.is_file() and path.stat().st_size == noted["bytes"]


def verify(entry: ModelEntry) -> tuple[str, ...]:
    """Hash every file again; what is wrong, one sentence a file, or nothing.

    Example:
        >>> from vidbench.models.catalogue import entry_of
        >>> verify(entry_of("rapidocr"))
        ()
    """
    folder = folder_of(entry)
    return tuple(filter(None, (_fault(file, folder / file.name) for file in recorded(entry).files)))


def _fault(file: ModelFile, path: Path) -> str:
    if not path.is_file():
        return f"{file.name} is missing"
    found = sha256_of(path)
    return "" if found == file.sha256 else f"{file.name} has SHA-256 {found}, expected {file.sha256}"


def write_manifest(entry: ModelEntry, files: Iterable[ModelFile], *, source: str, origin: str) -> None:
    """Record what was verified, beside the files; this is what makes a model present.

    Args:
        entry: the model.
        files: its files with the size and SHA-256 that were found.
        source: kind of source, ``hub`` or ``wheel`` ...
        origin: repository, packages or path.
    """
    note = {
        "name": entry.name,
        "source": source,
        "origin": origin,
        "files": [{"name": file.name, "sha256": file.sha256, "bytes": file.bytes} for file in files],
    }
    target = folder_of(entry) / MANIFEST
    part = target.with_suffix(".part")
    try:
        with part.open("w", encoding="utf-8") as stream:
            json.dump(note, stream, indent=2)
            stream.flush()
            os.fsync(stream.fileno())
        part.replace(target)
    except OSError as error:
        raise disk_error(error, target) from error


def sha256_of(path: Path) -> str:
    """SHA-256 of a file in hex."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def disk_error(error: OSError, path: Path) -> StoreError:
    """The error for a file that could not be written."""
    hint = f"Free some space, or set {MODELS_VARIABLE} to a folder on another disk."
    return StoreError(f"{path} cannot be written: {error.strerror or error}", hint=hint, file=str(path))
