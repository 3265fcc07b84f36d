"""Files that a run leaves behind: whole and on the disk, or not there at all.

A file is written beside its place, synced, renamed into place, and the folder is synced after it
(law 6): whoever sees the name sees the whole content, also after a crash.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from vidbench.contract.work import ArtifactNote
from vidbench.errors import InvalidInput, StoreError

FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})
READ_BYTES = 1 << 20


def write_artifact(
    folder: Path, name: str, kind: str, write: Callable[[BinaryIO], object]
) -> ArtifactNote:
    """Write one file of a run so that a crash leaves either the whole file or none.

    Args:
        folder: the run's folder; made if absent.
        name: place below *folder*, with ``/`` between parts (``thumbnails/0001.jpg``).
        kind: what the file is (curve, times, audio, poster, thumbnail, sample ...).
        write: is given the open binary file, which can seek, and writes the content.

    Returns:
        Size, SHA-256 and place of the file.

    Raises:
        InvalidInput: *name* would lie outside *folder*.
        StoreError: the disk is full, or the folder cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     note = write_artifact(Path(folder), "a.txt", "text", lambda file: file.write(b"abc"))
        >>> note.bytes, note.sha256[:8]
        (3, 'ba7816bf')
    """
    target = folder / _checked(name)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        size, digest = _write_beside(target, write)
        sync_folder(target.parent)
    except OSError as error:
        raise _store_error(error, target) from error
    return ArtifactNote(kind=kind, path=name, bytes=size, sha256=digest)


def note_of(folder: Path, name: str, kind: str) -> ArtifactNote:
    """The note of a file that is already in place: its size and SHA-256 are read again."""
    path = folder / _checked(name)
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return ArtifactNote(kind=kind, path=name, bytes=path.stat().st_size, sha256=digest)


def sync_folder(folder: Path) -> None:
    """Make renames in *folder* survive a power cut; where folders cannot be opened it does nothing."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _checked(name: str) -> PurePosixPath:
    place = PurePosixPath(name)
    if not place.parts or place.is_absolute() or ".." in place.parts:
        raise InvalidInput(f"{name!r} is no place below the run's folder", file=name)
    return place


def _write_beside(target: Path, write: Callable[[BinaryIO], object]) -> tuple[int, str]:
    # The process id keeps a worker that should be dead from writing into its successor's file.
    beside = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with beside.open("w+b") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
            file.seek(0)
            digest = hashlib.file_digest(file, "sha256").hexdigest()
            size = file.seek(0, os.SEEK_END)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return size, digest


def _store_error(error: OSError, target: Path) -> StoreError:
    if error.errno in FULL_DISK:
        return StoreError(
            f"the disk is full: {target.name} could not be written",
            hint="Free space on this disk or prune the workspace, then run it again.",
            file=str(target),
        )
    return StoreError(
        f"{target} could not be written ({error.strerror or error})",
        hint="Check that the workspace folder exists and can be written.",
        file=str(target),
    )
