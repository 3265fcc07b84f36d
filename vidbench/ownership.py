"""Who owns a workspace, and where the owner can be reached: ``owner.json`` beside the store.

DuckDB's own lock decides who owns; the file only says where. It is written beside and renamed, readable by its user
alone, and carries the process's start time, because process ids are used again.
"""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from vidbench.jobs.process import is_alive, started_at

FILE_NAME = "owner.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Owner:
    """The process that holds a workspace.

    Attributes:
        pid: process id.
        started: Unix seconds at which that process started.
        url: base address of its loopback endpoint; empty until it listens, or where it cannot.
        token: bearer token of that endpoint.
    """

    pid: int
    started: float
    url: str
    token: str

    @property
    def alive(self) -> bool:
        """Whether that very process still runs."""
        return is_alive(self.pid, self.started)


def this_process(url: str = "", token: str = "") -> Owner:
    """The calling process as an owner."""
    return Owner(pid=os.getpid(), started=started_at(os.getpid()), url=url, token=token)


def new_token() -> str:
    """A fresh bearer token of 256 bits."""
    return secrets.token_urlsafe(32)


def announce(folder: Path, owner: Owner) -> None:
    """Write *owner* where other processes look.

    Raises:
        OSError: it cannot be written (a full disk).
    """
    beside = folder / f".{FILE_NAME}.{owner.pid}"
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump(asdict(owner), file)
        beside.replace(folder / FILE_NAME)
    except OSError:
        beside.unlink(missing_ok=True)
        raise


def withdraw(folder: Path) -> None:
    """Remove the announcement, if it is this process's own."""
    owner = read(folder)
    if owner is not None and owner.pid == os.getpid():
        (folder / FILE_NAME).unlink(missing_ok=True)


def read(folder: Path) -> Owner | None:
    """Who announced itself, alive or not; None where nobody did."""
    try:
        return Owner(**json.loads((folder / FILE_NAME).read_text(encoding="utf-8")))
    except (OSError, json.JSONDecodeError, TypeError):
        return None
