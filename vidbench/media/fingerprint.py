"""Which content a file holds: a quick fingerprint and the full checksum."""

from __future__ import annotations

import hashlib
from pathlib import Path

from vidbench.errors import InvalidInput, NotFound

PART_BYTES = 1 << 20


def fingerprint(path: Path) -> str:
    """Hash of the size and of the head, middle and tail of a file, a mebibyte each.

    Reads at most 3 MiB however large the file is. Two files that differ only between these parts
    share it; :func:`sha256_of` tells them apart.

    Args:
        path: a regular file.

    Returns:
        64 hexadecimal digits.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is no regular file, or it cannot be read.
    """
    size = _size(path)
    digest = hashlib.sha256(str(size).encode())
    try:
        with path.open("rb") as file:
            for start in (0, (size - PART_BYTES) // 2, size - PART_BYTES):
                file.seek(max(start, 0))
                digest.update(file.read(PART_BYTES))
    except OSError as error:
        raise _unreadable(path, error) from error
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """SHA-256 of the whole content.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is no regular file, or it cannot be read.
    """
    _size(path)
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(path, error) from error


def check_regular(path: Path) -> None:
    """Refuse what is no regular file, before anything opens it: a pipe would hang, a device never end.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is a folder, pipe, socket or device.
    """
    _size(path)


def _size(path: Path) -> int:
    try:
        regular = path.is_file()
        exists = regular or path.exists()
    except (OSError, ValueError) as error:
        raise InvalidInput(f"{str(path)!r} is no usable path ({error})", file=str(path)) from error
    if not exists:
        raise NotFound(f"no such file: {path}", hint="Check the path.", file=str(path))
    if not regular:
        raise InvalidInput(f"{path} is no regular file", hint="Give the path of a media file.", file=str(path))
    return path.stat().st_size


def _unreadable(path: Path, error: OSError) -> InvalidInput:
    return InvalidInput(
        f"{path} cannot be read ({error.strerror or error})",
        hint="Check the file's permissions.",
        file=str(path),
    )
