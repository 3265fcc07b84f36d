"""Is this machine fit for the work? One check a line, each with what to do about it."""

from __future__ import annotations

import importlib.util
import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from vidbench.contract.models import ROLES, ModelEntry, Role
from vidbench.errors import VidbenchError
from vidbench.models import choosing
from vidbench.models.catalogue import TIERS, first_of
from vidbench.models.folder import models_folder
from vidbench.models.libraries import Library, import_all
from vidbench.models.network import Network, hub_endpoint

MINIMUM_PYTHON = (3, 11)
OPENCV = (
    "opencv-python",
    "opencv-python-headless",
    "opencv-contrib-python",
    "opencv-contrib-python-headless",
)
"""Distributions that install the same module ``cv2`` over one another."""
MINIMUM_MEMORY_GB = 4.0
"""What the tiny tier and a notebook need together."""
MINIMUM_DISK_GB = 2.0
"""The tiny models, one wheel in transit and a first workspace."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One finding about this machine.

    Attributes:
        name: what was looked at.
        ok: whether it is as it should be.
        detail: what was found.
        remedy: what to do, one line; empty where nothing is wrong.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def examine() -> tuple[Check, ...]:
    """Look at Python, tools, libraries, disk, models and sources; takes some seconds, changes nothing.

    Libraries are imported in a process of their own, so that one that crashes cannot take this one along.

    Example:
        >>> [check.remedy for check in examine() if not check.ok]  # doctest: +SKIP
        ['Run: sudo apt install build-essential']
    """
    parts: tuple[Callable[[], Iterable[Check]], ...] = (
        lambda: (python(), venv(), compiler(), make()),
        libraries,
        lambda: (opencv(), fts5(), hardware(), disk()),
        models,
        network,
    )
    # The network and the imports wait, each for its own reason.
    with ThreadPoolExecutor(len(parts)) as pool:
        return tuple(check for checks in pool.map(lambda part: tuple(part()), parts) for check in checks)


def python() -> Check:
    """The version of this Python."""
    version = platform.python_version()
    return _check(
        "python",
        sys.version_info >= MINIMUM_PYTHON,
        f"{version} at {sys.executable}",
        "Install Python 3.11 or newer and make the environment with it.",
    )


def venv() -> Check:
    """The module that makes environments; Debian packages it apart."""
    there = all(importlib.util.find_spec(name) for name in ("venv", "ensurepip"))
    detail = "can make environments" if there else "venv or ensurepip is missing"
    return _check(
        "python3-venv",
        there,
        detail,
        _remedy("sudo apt install python3-venv", "conda install python pip"),
    )


def compiler() -> Check:
    """A C and C++ compiler, which llama-cpp-python is built with."""
    found = [shutil.which(name) for name in ("cc", "gcc", "clang", "cl")]
    cxx = [shutil.which(name) for name in ("c++", "g++", "clang++", "cl")]
    pair = [next(filter(None, group), None) for group in (found, cxx)]
    detail = " and ".join(path for path in pair if path) or "none found"
    remedy = _remedy("sudo apt install build-essential", "conda install -c conda-forge cxx-compiler")
    return _check("compiler", all(pair), detail, remedy)


def make() -> Check:
    """make, which runs the two commands of a checkout."""
    path = shutil.which("make")
    remedy = _remedy("sudo apt install make", "conda install -c conda-forge make")
    return _check("make", bool(path), path or "not found", remedy)


def libraries() -> tuple[Check, ...]:
    """Every library of the extras, its version, what llama.cpp was built for, and the GPUs that are seen."""
    found = import_all()
    checks = [_check(library.name, library.ok, library.detail, library.remedy) for library in found]
    return (*checks, _gpu(found))


def opencv() -> Check:
    """Exactly one OpenCV distribution: several overwrite one another's ``cv2``."""
    installed = [f"{name} {version}" for name in OPENCV if (version := _version(name))]
    remedy = "Run: pip uninstall -y " + " ".join(OPENCV) + " && pip install opencv-python-headless"
    return _check("one opencv", len(installed) == 1, ", ".join(installed) or "none installed", remedy)


def fts5() -> Check:
    """SQLite with full-text search, which the search index is made of."""
    with sqlite3.connect(":memory:") as connection:
        options = {row[0] for row in connection.execute("pragma compile_options")}
        there = "ENABLE_FTS5" in options or _makes_fts5(connection)
    connection.close()
    return _check(
        "sqlite fts5",
        there,
        f"SQLite {sqlite3.sqlite_version}",
        "Use a Python whose sqlite3 has FTS5: python.org's, conda's and every Linux distribution's have it.",
    )


def hardware() -> Check:
    """Cores and memory."""
    import psutil

    memory = psutil.virtual_memory()
    detail = (
        f"{os.cpu_count()} cores, {platform.machine()}, {memory.total / 2**30:.1f} GiB of memory, "
        f"{memory.available / 2**30:.1f} GiB free"
    )
    remedy = f"Close other programs: the tiny models and a notebook want {MINIMUM_MEMORY_GB:g} GiB."
    return _check("cores and memory", memory.total / 2**30 >= MINIMUM_MEMORY_GB, detail, remedy)


def disk() -> Check:
    """Room where the models go."""
    folder = models_folder()
    there: Path = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free / 1e9
    remedy = "Free some space, or set VIDBENCH_MODELS to a folder on another disk."
    return _check("disk", free >= MINIMUM_DISK_GB, f"{free:.1f} GB free at {folder}", remedy)


def models() -> tuple[Check, ...]:
    """For each role the model that would be used: size, licence, checksum, and whether it is here."""
    return tuple(_model(role) for role in ROLES)


def network() -> tuple[Check, ...]:
    """Whether the hub and the package index answer; neither has to where the tiny models are here."""
    needed = not all(choosing.is_present(entry) for role in ROLES if (entry := first_of(TIERS[0], role)))
    with Network() as asked:
        index = next((place.url for place in asked.locations.places if not place.is_local), "")
        reasons = {
            f"hub {hub_endpoint()}": asked.hub_refusal(),
            "package index": asked.index_refusal(index) if index else "only local places are configured",
        }
    stuck = needed and all(reasons.values())
    remedy = "Connect to a network once, or copy the models' files: vidbench models pull says where."
    return tuple(_check(name, not stuck, reason or "answers", remedy) for name, reason in reasons.items())


def _model(role: Role) -> Check:
    name = f"model: {role}"
    try:
        entry = choosing.choose(role)
        spec = choosing.resolve(entry)
    except VidbenchError as error:
        return Check(name=name, ok=False, detail=error.message, remedy=error.hint)
    return Check(name=name, ok=True, detail=f"{_described(entry)}, checksum {spec.checksum}")


def _described(entry: ModelEntry) -> str:
    size = f"{entry.bytes / 1e6:.0f} MB, " if entry.files else ""
    return f"{entry.name} ({entry.tier}), {entry.publisher}, {size}{entry.licence}"


def _gpu(found: tuple[Library, ...]) -> Check:
    detail = {library.name: library.detail for library in found}
    speech = "gpus=" in detail.get("ctranslate2", "") and "gpus=0" not in detail["ctranslate2"]
    language = "gpu_offload=1" in detail.get("llama_cpp", "")
    seen = [name for name, there in (("speech", speech), ("language", language)) if there]
    text = f"usable for {' and '.join(seen)}" if seen else "none seen; the processor does the work"
    return Check(name="gpu", ok=True, detail=text)


def _makes_fts5(connection: sqlite3.Connection) -> bool:
    try:
        connection.execute("create virtual table t using fts5(text)")
    except sqlite3.OperationalError:
        return False
    return True


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return ""


def _remedy(apt: str, conda: str) -> str:
    """The one line for this machine."""
    if os.environ.get("CONDA_PREFIX"):
        return f"Run: {conda}"
    if sys.platform == "darwin":
        return "Run: xcode-select --install"
    if shutil.which("apt-get"):
        return f"Run: {apt}"
    return f"Install it with the system's package manager (Debian: {apt}; conda: {conda})."


def _check(name: str, ok: bool, detail: str, remedy: str) -> Check:
    return Check(name=name, ok=ok, detail=detail, remedy="" if ok else remedy)
