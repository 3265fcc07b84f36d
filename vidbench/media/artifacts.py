"""Files that a run leaves behind: whole and on the disk, or not there at all.

A file is written beside its place, synced, renamed into place, and the folder is synced after it
(law 6): whoever sees the name sees the whole content, also after a crash.
"""

from __future__ import annotations

import errno
import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path, PurePosixPath
from typing import BinaryIO, Self

from vidbench.contract.work import ArtifactNote
from vidbench.errors import InvalidInput, StoreError

FULL_DISK = frozenset({errno.ENOSPC, errno.EDQUOT})


def write_artifact(folder: Path, name: str, kind: str, write: Callable[[BinaryIO], object]) -> ArtifactNote:
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
    with GrowingArtifact(folder, name, kind) as growing:
        with store_errors(growing.target):
            write(growing.file)
        return growing.commit()


def write_all(folder: Path, files: Iterable[tuple[str, str, bytes]]) -> list[ArtifactNote]:
    """Write many files of a run as :func:`write_artifact` would one by one, syncing them together.

    Args:
        folder: the run's folder; made if absent.
        files: place below *folder*, kind and content of each.

    Raises:
        InvalidInput: a name would lie outside *folder*.
        StoreError: the disk is full, or the folder cannot be written.
    """
    with ExitStack() as stack:
        written = []
        for name, kind, content in files:
            growing = stack.enter_context(GrowingArtifact(folder, name, kind))
            with store_errors(growing.target):
                growing.file.write(content)
                growing.file.flush()
            written.append(growing)
        # The first sync carries most of the others' content to the disk, which makes theirs cheap.
        notes = [growing.sync() for growing in written]
        for growing in written:
            growing.place()
        for parent in {growing.target.parent for growing in written}:
            with store_errors(parent):
                sync_folder(parent)
        return notes


class GrowingArtifact:
    """A file of a run that is written over a long time, as sound is during a decode pass.

    Use it in a with block; without a :meth:`commit` nothing is left of it.

    Args:
        folder: the run's folder; made if absent.
        name: place below *folder*.
        kind: what the file is.

    Raises:
        InvalidInput: *name* would lie outside *folder*.
        StoreError: the disk is full, or the folder cannot be written.
    """

    def __init__(self, folder: Path, name: str, kind: str) -> None:
        self.name, self.kind = name, kind
        self.target = folder / _checked(name)
        # The process id keeps a worker that should be dead from writing into its successor's file.
        self._beside = self.target.with_name(f".{self.target.name}.{os.getpid()}.part")
        with store_errors(self.target):
            _make(self.target.parent)
            self.file = self._beside.open("w+b")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.abandon()

    def commit(self) -> ArtifactNote:
        """Put the file into its place and describe it."""
        note = self.sync()
        self.place()
        with store_errors(self.target):
            sync_folder(self.target.parent)
        return note

    def sync(self) -> ArtifactNote:
        """Bring the content to the disk and describe it."""
        with store_errors(self.target):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.seek(0)
            digest = hashlib.file_digest(self.file, "sha256").hexdigest()
            size = self.file.seek(0, os.SEEK_END)
        return ArtifactNote(kind=self.kind, path=self.name, bytes=size, sha256=digest)

    def place(self) -> None:
        """Give the synced file its name; its folder is still to be synced."""
        with store_errors(self.target):
            self.file.close()
            self._beside.replace(self.target)

    def abandon(self) -> None:
        """Close the file and remove what was written, unless it was committed."""
        # A full disk refuses the last buffer again at closing; the file goes all the same.
        with suppress(OSError):
            self.file.close()
        self._beside.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make renames in *folder* survive a power cut; where folders cannot be opened it does nothing."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _make(folder: Path) -> None:
    """Make *folder* and what is missing above it, each of them synced into its parent."""
    if folder.is_dir():
        return
    _make(folder.parent)
    folder.mkdir(exist_ok=True)
    sync_folder(folder.parent)


def _checked(name: str) -> PurePosixPath:
    place = PurePosixPath(name)
    if not place.parts or place.is_absolute() or ".." in place.parts:
        raise InvalidInput(f"{name!r} is no place below the run's folder", file=name)
    return place


@contextmanager
def store_errors(target: Path) -> Iterator[None]:
    """Turn what the system says about *target* into a StoreError with a remedy."""
    try:
        yield
    except OSError as error:
        raise _store_error(error, target) from error


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
