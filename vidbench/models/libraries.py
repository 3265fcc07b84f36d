"""The libraries of the extras, imported in a process that may crash without harm."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from vidbench.models.imports import DISTRIBUTIONS, EXTRAS

SECONDS = 120.0
"""How long all imports may take on a cold disk."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Library:
    """How the import of a library went.

    Attributes:
        name: of its module.
        ok: whether it could be imported.
        detail: version and build, or what went wrong.
        remedy: what to do, empty where nothing is wrong.
    """

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def import_all(names: Iterable[str] = tuple(DISTRIBUTIONS)) -> tuple[Library, ...]:
    """Import every library, each crash taking down only a helper process.

    Example:
        >>> [library.name for library in import_all(["json"])]
        ['json']
    """
    waiting = list(names)
    found: list[Library] = []
    while waiting:
        answered, fallen = _run(waiting)
        found += [*answered, *([fallen] if fallen else ())]
        done = {library.name for library in found}
        waiting = [name for name in waiting if name not in done]
    return tuple(found)


def _run(names: list[str]) -> tuple[list[Library], Library | None]:
    """What one process imported, and the library that it fell over."""
    command = [sys.executable, "-m", "vidbench.models.imports", *names]
    try:
        ended = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
        output, code = ended.stdout, ended.returncode
        words = ended.stderr
    except subprocess.TimeoutExpired as error:
        output, code, words = error.stdout or b"", 0, f"not done after {SECONDS:g} s".encode()
    trying, answered = names[0], []
    for message in _messages(output):
        trying = message.get("trying", trying)
        if "name" in message:
            answered.append(_library(message))
    if len(answered) == len(names):
        return answered, None
    return answered, _fallen(trying, code, words.decode(errors="replace"))


def _messages(output: bytes) -> list[dict[str, Any]]:
    # Libraries print while they are imported: only whole JSON lines are ours.
    lines = (line for line in output.decode(errors="replace").splitlines() if line.startswith("{"))
    return [json.loads(line) for line in lines if line.endswith("}")]


def _library(message: dict[str, Any]) -> Library:
    name, ok = str(message["name"]), bool(message["ok"])
    return Library(name=name, ok=ok, detail=str(message["detail"]), remedy="" if ok else _install(name))


def _fallen(name: str, code: int, words: str) -> Library:
    if code == -signal.SIGILL:
        package = DISTRIBUTIONS.get(name, name)
        again = f"--no-binary {package} --force-reinstall --no-cache-dir"
        detail = "built for another processor (illegal instruction)"
        return Library(name=name, ok=False, detail=detail, remedy=f"Run: pip install {again} {package}")
    cause = f"died of {signal.Signals(-code).name}" if code < 0 else (words.strip() or f"exit code {code}")
    return Library(name=name, ok=False, detail=cause.splitlines()[-1], remedy=_install(name))


def _install(name: str) -> str:
    package = DISTRIBUTIONS.get(name, name)
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        extra = EXTRAS.get(name)
        return f"Run: pip install 'vidbench[{extra}]'" if extra else f"Run: pip install {package}"
    return f"Run: pip install --force-reinstall {package}"
