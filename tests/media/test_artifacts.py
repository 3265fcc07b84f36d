"""Files of a run are whole or absent."""

from __future__ import annotations

import errno
import hashlib
import os
from pathlib import Path

import pytest

from vidbench.errors import InvalidInput, StoreError
from vidbench.media.artifacts import write_all, write_artifact


def test_note_describes_the_file(tmp_path):
    """The note carries kind, place, size and SHA-256 of what was written."""
    note = write_artifact(tmp_path, "a/b.bin", "curve", lambda file: file.write(b"xyz" * 1000))

    content = (tmp_path / "a" / "b.bin").read_bytes()
    assert content == b"xyz" * 1000
    assert (note.kind, note.path, note.bytes) == ("curve", "a/b.bin", 3000)
    assert note.sha256 == hashlib.sha256(content).hexdigest()


def test_writing_again_replaces(tmp_path):
    """A second writing of the same name replaces the first and leaves nothing beside it."""
    write_artifact(tmp_path, "a.bin", "x", lambda file: file.write(b"one"))
    write_artifact(tmp_path, "a.bin", "x", lambda file: file.write(b"two"))

    assert (tmp_path / "a.bin").read_bytes() == b"two"
    assert [path.name for path in tmp_path.iterdir()] == ["a.bin"]


def test_writer_may_seek(tmp_path):
    """A writer that goes back to fill in a header gets the digest of the final content."""

    def write(file):
        file.write(b"????data")
        file.seek(0)
        file.write(b"head")

    note = write_artifact(tmp_path, "a", "x", write)

    assert note.bytes == 8
    assert note.sha256 == hashlib.sha256(b"headdata").hexdigest()


def test_failed_writer_leaves_the_old_file(tmp_path):
    """Where the writer fails, the earlier file stays and no part of the new one is left."""
    write_artifact(tmp_path, "a", "x", lambda file: file.write(b"old"))

    def fail(file):
        file.write(b"half")
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        write_artifact(tmp_path, "a", "x", fail)
    assert (tmp_path / "a").read_bytes() == b"old"
    assert len(list(tmp_path.iterdir())) == 1


def test_full_disk_is_a_store_error(tmp_path):
    """A full disk is said as such, with what to do, and leaves nothing behind."""

    def fail(file):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(StoreError, match="disk is full") as caught:
        write_artifact(tmp_path, "a", "x", fail)
    assert "Free space" in caught.value.hint
    assert list(tmp_path.iterdir()) == []


def test_really_full_device_is_a_store_error(tmp_path):
    """The same holds for the error of a device that is really full."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")

    def fail(file):
        with Path("/dev/full").open("wb", buffering=0) as full:
            full.write(b"x")

    with pytest.raises(StoreError, match="disk is full"):
        write_artifact(tmp_path, "a", "x", fail)


def test_folder_that_is_a_file(tmp_path):
    """A folder that cannot be made is a clear error naming the file."""
    (tmp_path / "taken").write_text("x")

    with pytest.raises(StoreError) as caught:
        write_artifact(tmp_path / "taken", "a", "x", lambda file: file.write(b""))
    assert "taken" in caught.value.file


@pytest.mark.parametrize("name", ["", "/etc/passwd", "../a", "a/../../b"])
def test_names_stay_inside(tmp_path, name):
    """A name that leads out of the folder is refused."""
    with pytest.raises(InvalidInput):
        write_artifact(tmp_path, name, "x", lambda file: file.write(b""))


def test_many_at_once(tmp_path):
    """Files written together get the notes and places that they would get one by one."""
    files = [(f"folder/{number}.bin", "x", bytes([number]) * number) for number in range(50)]

    notes = write_all(tmp_path / "together", files)

    for note, (name, kind, content) in zip(notes, files, strict=True):
        assert note == write_artifact(
            tmp_path / "single", name, kind, lambda file, content=content: file.write(content)
        )
    assert len(list((tmp_path / "together" / "folder").iterdir())) == 50


def test_many_or_none_of_a_bad_name(tmp_path):
    """One bad name among many leaves no file of them."""
    with pytest.raises(InvalidInput):
        write_all(tmp_path, [("good", "x", b"1"), ("../bad", "x", b"2")])
    assert list(tmp_path.iterdir()) == []
