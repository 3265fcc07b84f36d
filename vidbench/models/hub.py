"""Models from a Hugging Face hub, or from what its own client left in its cache."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote

from vidbench.contract.models import ModelFile
from vidbench.models.download import ANSWER_SECONDS, Remote, Unavailable, download, shown
from vidbench.models.errand import Errand
from vidbench.models.folder import sha256_of
from vidbench.models.network import Network, hub_endpoint
from vidbench.models.placing import place

SHA256_DIGITS = 64
GIT_DIGITS = 40


def fetch(errand: Errand) -> list[ModelFile]:
    """Bring the files of a model into its folder: from the hub's cache where they are, else over HTTPS.

    Raises:
        Unavailable: the hub did not answer in three seconds, or has no such file.
        Damaged: a file is not the catalogue's.
        StoreError: the disk is full or cannot be written.
    """
    files: list[ModelFile] = []
    for file in errand.entry.files:
        have = sum(done.bytes for done in files)
        found = _kept(file, errand) or _from_cache(file, errand) or _from_hub(file, errand, have)
        files.append(found)
        errand.onward(have)(found.bytes, 0)
    return files


def cache_folder() -> Path:
    """Where huggingface_hub keeps its files.

    https://huggingface.co/docs/huggingface_hub/package_reference/environment_variables
    """
    if cache := os.environ.get("HF_HUB_CACHE"):
        return Path(cache).expanduser()
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME", "~/.cache")) / "huggingface"
    return Path(home).expanduser() / "hub"


def _kept(file: ModelFile, errand: Errand) -> ModelFile | None:
    """The file that an interrupted pull had already finished."""
    path = errand.folder / file.name
    return file if file.sha256 and path.is_file() and sha256_of(path) == file.sha256 else None


def _from_cache(file: ModelFile, errand: Errand) -> ModelFile | None:
    """The file from the cache, if its checksum is the catalogue's."""
    if not file.sha256:
        return None
    for path in _cached(file, errand):
        if path.stat().st_size == file.bytes and sha256_of(path) == file.sha256:
            place(path, errand.folder / file.name)
            return file
    return None


def _cached(file: ModelFile, errand: Errand) -> Iterator[Path]:
    repository = cache_folder() / f"models--{errand.source.repository.replace('/', '--')}"
    snapshots = repository / "snapshots"
    for snapshot in sorted(snapshots.iterdir()) if snapshots.is_dir() else ():
        path = (snapshot / errand.members(file)[0]).resolve()
        if path.is_file():
            yield path


def _from_hub(file: ModelFile, errand: Errand, before: int) -> ModelFile:
    refusal = errand.network.hub_refusal()
    if refusal:
        raise Unavailable(refusal)
    source = errand.source
    path = f"{source.repository}/resolve/{source.revision or 'main'}/{quote(errand.members(file)[0])}"
    remote = Remote(url=f"{hub_endpoint()}/{path}", sha256=file.sha256, bytes=file.bytes)
    if not remote.sha256:
        remote = _described(remote, errand.network)
    target = errand.folder / file.name
    client = errand.network.hub_client
    sha256 = download(remote, target, client=client, progress=errand.onward(before))
    return ModelFile(name=file.name, sha256=sha256, bytes=target.stat().st_size)


def _described(remote: Remote, network: Network) -> Remote:
    """*remote* with the checksum that the hub publishes for it.

    A large file's linked ETag is its SHA-256 (Git LFS), a small file's ETag is its Git blob id.
    """
    import httpx

    try:
        answer = network.hub_client.head(remote.url, follow_redirects=False, timeout=ANSWER_SECONDS)
    except httpx.HTTPError as error:
        raise Unavailable(f"{shown(remote.url)}: {error}") from error
    headers = answer.headers
    tag = headers.get("X-Linked-ETag", headers.get("ETag", "")).removeprefix("W/").strip('"')
    size = headers.get("X-Linked-Size", "")
    bytes_ = remote.bytes or (int(size) if size.isdigit() else 0)
    if answer.status_code >= 400 or len(tag) not in {SHA256_DIGITS, GIT_DIGITS}:
        raise Unavailable(f"{shown(remote.url)}: the hub publishes no checksum (it answered {answer.status_code})")
    if len(tag) == SHA256_DIGITS:
        return replace(remote, sha256=tag, bytes=bytes_)
    return replace(remote, git_blob=tag, bytes=bytes_)
