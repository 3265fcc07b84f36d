"""The same content has the same fingerprint, wherever it lies."""

from __future__ import annotations

import hashlib
import os

import pytest

from vidbench.errors import InvalidInput, NotFound
from vidbench.media.fingerprint import PART_BYTES, fingerprint, sha256_of


def write(path, content):
    path.write_bytes(content)
    return path


def test_copies_agree(tmp_path, clip):
    """A copy under another name has the same fingerprint."""
    copy = write(tmp_path / "copy.bin", clip.read_bytes())

    assert fingerprint(copy) == fingerprint(clip)
    assert len(fingerprint(copy)) == 64


@pytest.mark.parametrize("place", [0, 5 * PART_BYTES, 10 * PART_BYTES - 1])
def test_changes_in_head_middle_and_tail_show(tmp_path, place):
    """One changed byte in head, middle or tail makes another fingerprint."""
    content = bytearray(10 * PART_BYTES)
    before = fingerprint(write(tmp_path / "a", content))
    content[place] = 1

    assert fingerprint(write(tmp_path / "b", content)) != before


def test_size_counts(tmp_path):
    """Files that share head, middle and tail but not their size differ."""
    sizes = [0, 1, PART_BYTES, 4 * PART_BYTES, 5 * PART_BYTES]

    prints = {fingerprint(write(tmp_path / str(size), bytes(size))) for size in sizes}

    assert len(prints) == len(sizes)


def test_full_checksum(tmp_path):
    """The full checksum is plain SHA-256."""
    assert sha256_of(write(tmp_path / "a", b"abc")) == hashlib.sha256(b"abc").hexdigest()


@pytest.mark.parametrize("function", [fingerprint, sha256_of])
def test_what_is_no_file(tmp_path, function):
    """Absent files, folders and pipes are refused with their name, and a pipe does not hang."""
    os.mkfifo(tmp_path / "pipe")

    with pytest.raises(NotFound) as caught:
        function(tmp_path / "absent")
    assert caught.value.file.endswith("absent")
    for name in ("", "pipe"):
        with pytest.raises(InvalidInput):
            function(tmp_path / name)
