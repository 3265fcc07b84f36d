"""One file over HTTP: resumed where it stopped, verified, and renamed into place."""

from __future__ import annotations

import hashlib
import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO
from urllib.parse import urlsplit, urlunsplit

from vidbench.errors import VidbenchError
from vidbench.models.folder import BLOCK_BYTES, disk_error

if TYPE_CHECKING:
    import httpx

ATTEMPTS = 4
PAUSE_SECONDS = 0.5
"""Before the second attempt; doubled for each further one."""
ANSWER_SECONDS = 3.0
"""How long a hub may take to answer before the next source is tried."""
REPORT_SECONDS = 0.1
"""The least time between two reports of progress."""
STALL_SECONDS = 30.0
"""How long a transfer may stand still."""

Progress = Callable[[int, int], None]
"""Called with bytes done and bytes in all (0 where that is not known)."""

logger = logging.getLogger(__name__)


class Unavailable(VidbenchError):
    """One source cannot give a model; another one may. Never leaves this package."""


class Damaged(Unavailable):
    """What a source gave is not what was promised."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file somewhere else.

    Attributes:
        url: where it is.
        sha256: what it must hash to; empty where that is not known.
        git_blob: its Git object id, for small files of a hub that publishes nothing else.
        bytes: its size, 0 where that is not known.
        headers: sent with the request, and not to other hosts it redirects to.
    """

    url: str
    sha256: str = ""
    git_blob: str = ""
    bytes: int = 0
    headers: dict[str, str] = field(default_factory=dict)


def download(remote: Remote, target: Path, *, client: httpx.Client, progress: Progress | None = None) -> str:
    """Bring *remote* to *target* and return its SHA-256.

    The bytes go to ``<target>.part``; what an interrupted download left there is continued with a Range
    request if the checksum is known. The file is renamed only after its checksum was right; a wrong one
    deletes the part.

    Raises:
        Unavailable: the server did not give the file in 4 attempts.
        Damaged: it gave another file.
        StoreError: the disk is full or cannot be written.
    """
    part = target.with_name(target.name + ".part")
    target.parent.mkdir(parents=True, exist_ok=True)
    if not remote.sha256:
        # Without a checksum nothing could tell that two halves are of different files.
        part.unlink(missing_ok=True)
    _transfer(remote, part, client, progress or silent)
    found = _verified(remote, part)
    try:
        part.replace(target)
    except OSError as error:
        raise disk_error(error, target) from error
    return found


def answers(url: str, *, seconds: float = ANSWER_SECONDS, client: httpx.Client) -> str:
    """Why the server of *url* cannot be used; empty where it answers in time with anything at all.

    Name look-ups have no time limit of their own, so the request runs in a thread that is left behind
    when the time is over.
    """
    import httpx

    outcome: list[str] = []

    def ask() -> None:
        try:
            client.head(url, timeout=seconds)
            outcome.append("")
        except (httpx.HTTPError, httpx.InvalidURL, OSError, RuntimeError) as error:
            # RuntimeError: the client was closed after nobody waited any more.
            outcome.append(f"{shown(url)} does not answer: {error}")

    asking = threading.Thread(target=ask, daemon=True, name="vidbench-answers")
    asking.start()
    asking.join(seconds)
    return outcome[0] if outcome else f"{shown(url)} did not answer in {seconds:g} seconds"


def shown(url: str) -> str:
    """*url* without user name, password, query and fragment.

    Example:
        >>> shown("https://me:secret@index.example/simple/?token=1")
        'https://index.example/simple/'
    """
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _transfer(remote: Remote, part: Path, client: httpx.Client, progress: Progress) -> None:
    import httpx

    for attempt in range(1, ATTEMPTS + 1):
        try:
            if _once(remote, part, client, progress):
                return
            reason = "the answer ended early"
        except httpx.HTTPError as error:
            reason = str(error) or type(error).__name__
        logger.info("attempt %d at %s: %s", attempt, shown(remote.url), reason)
        if attempt < ATTEMPTS:
            time.sleep(PAUSE_SECONDS * 2 ** (attempt - 1))
    raise Unavailable(f"{shown(remote.url)}: {reason}, {ATTEMPTS} times")


def _once(remote: Remote, part: Path, client: httpx.Client, progress: Progress) -> bool:
    """One request; whether all bytes are here now."""
    start = part.stat().st_size if part.exists() else 0
    if remote.bytes and start >= remote.bytes:
        return True
    # Compressed transfers have no byte offsets to go on from.
    headers = {**remote.headers, "Accept-Encoding": "identity"}
    if start:
        headers["Range"] = f"bytes={start}-"
    with client.stream("GET", remote.url, headers=headers, timeout=STALL_SECONDS) as response:
        if response.status_code == 416:
            part.unlink()
            return False
        _refuse(response)
        if response.status_code != 206:
            start = 0
        length = response.headers.get("Content-Length", "")
        total = start + int(length) if length.isdigit() else remote.bytes
        done = _save(
            response,
            part,
            start,
            remote.bytes,
            lambda count: progress(count, remote.bytes or total),
        )
    return not total or done >= total


def _refuse(response: httpx.Response) -> None:
    """Raise for an answer that is no file: at once where asking again is no use."""
    import httpx

    status = response.status_code
    if status >= 500 or status in {408, 429}:
        msg = f"the server answered {status}"
        raise httpx.HTTPStatusError(msg, request=response.request, response=response)
    if status not in {200, 206}:
        raise Unavailable(f"{shown(str(response.url))} answered {status}")


def _save(response: httpx.Response, part: Path, start: int, limit: int, progress: Callable[[int], None]) -> int:
    done, told = start, 0.0
    try:
        with part.open("ab" if start else "wb") as stream:
            # No block size: httpx would hold back up to a block, and a broken connection would lose it.
            for block in response.iter_bytes():
                stream.write(block)
                done += len(block)
                if time.monotonic() - told >= REPORT_SECONDS:
                    progress(done)
                    told = time.monotonic()
                if limit and done > limit:  # no server fills the disk: the size is known
                    break
    except OSError as error:
        raise disk_error(error, part) from error
    progress(done)
    return done


def _verified(remote: Remote, part: Path) -> str:
    size = part.stat().st_size
    blob = hashlib.sha1(f"blob {size}\0".encode(), usedforsecurity=False)
    with part.open("rb") as stream:
        found = _digest(stream, blob)
    wrong = ""
    if remote.sha256 and found != remote.sha256:
        wrong = f"expected SHA-256 {remote.sha256}, got {found}"
    elif remote.git_blob and blob.hexdigest() != remote.git_blob:
        wrong = f"expected Git blob {remote.git_blob}, got {blob.hexdigest()}"
    elif remote.bytes and size != remote.bytes:
        wrong = f"expected {remote.bytes} bytes, got {size}"
    if wrong:
        part.unlink()
        raise Damaged(f"{shown(remote.url)} is not the promised file: {wrong}")
    return found


def _digest(stream: BinaryIO, blob: hashlib._Hash) -> str:
    digest = hashlib.sha256()
    while block := stream.read(BLOCK_BYTES):
        digest.update(block)
        blob.update(block)
    return digest.hexdigest()


def onward(progress: Progress, before: int, total: int) -> Progress:
    """Progress of a part as progress of the whole: *before* bytes were done, *total* is all there is.

    Example:
        >>> onward(print, 100, 300)(50, 60)
        150 300
    """

    def report(done: int, _: int) -> None:
        progress(min(before + done, total) if total else before + done, total)

    return report


def silent(_done: int, _total: int) -> None:
    """Progress that nobody watches."""
