"""Package indexes as pip and uv are configured to use them, read by the simple repository API.

The API is specified in PEP 503 (HTML) and PEP 691 (JSON); see
https://packaging.python.org/specifications/simple-repository-api/.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urldefrag, urljoin, urlsplit
from urllib.request import url2pathname

DEFAULT_INDEX = "https://pypi.org/simple/"
ACCEPT = "application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1"
_SECTIONS = ("global", "install", "download", ":env:")
"""Sections of pip's configuration, the later ones winning, as for ``pip download``."""


@dataclass(frozen=True, slots=True)
class Location:
    """A place that offers wheels.

    Attributes:
        url: an index (``https:`` or ``file:``), a page of links, or a folder.
        kind: an index has a page a project; links are one page or folder for all.
    """

    url: str
    kind: Literal["index", "links"]

    @property
    def is_local(self) -> bool:
        """Whether asking it needs no network."""
        return local_path(self.url) is not None


@dataclass(frozen=True, slots=True)
class Locations:
    """Where wheels are looked for, and the certificates to trust there."""

    places: tuple[Location, ...]
    certificates: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A file that an index offers; its size and SHA-256 where the index says them."""

    filename: str
    url: str
    sha256: str = ""
    bytes: int = 0


def locations() -> Locations:
    """What pip's configuration and the environment of pip and uv say; PyPI where they say nothing."""
    pip = _pip_options()
    env = os.environ
    links = [*pip.get("find-links", "").split(), *env.get("UV_FIND_LINKS", "").split(",")]
    indexes: list[str] = []
    if pip.get("no-index", "").lower() not in {"1", "true", "yes", "on"}:
        chosen = env.get("UV_DEFAULT_INDEX") or env.get("UV_INDEX_URL") or pip.get("index-url")
        named = (env.get("UV_INDEX", "") + " " + env.get("UV_EXTRA_INDEX_URL", "")).split()
        # uv lets an index have a name: `name=url`.
        extra = [item.split("=", 1)[1] if "=" in item.split(":", 1)[0] else item for item in named]
        indexes = [chosen or DEFAULT_INDEX, *extra, *pip.get("extra-index-url", "").split()]
    places = [
        *(Location(link, "links") for link in links if link.strip()),
        *(Location(index.rstrip("/") + "/", "index") for index in indexes),
    ]
    return Locations(tuple(dict.fromkeys(places)), pip.get("cert", ""))


def local_path(url: str) -> Path | None:
    """The path of a ``file:`` URL or plain path; None where *url* needs a network.

    Example:
        >>> local_path("https://pypi.org/simple/") is None
        True
    """
    scheme = urlsplit(url).scheme
    if scheme == "file":
        return Path(url2pathname(urlsplit(url).path))
    # A single letter is a Windows drive.
    return Path(url).expanduser() if len(scheme) < 2 else None


def offers_in_html(page: str, base: str) -> list[Offer]:
    """The files of a PEP 503 page.

    Example:
        >>> offers_in_html('<a href="../../a-1-py3-none-any.whl#sha256=ab">a</a>', "https://x/simple/a/")[0].url
        'https://x/a-1-py3-none-any.whl'
    """
    links = _Links()
    links.feed(page)
    return [_linked(href, urljoin(base, links.base) if links.base else base) for href in links.hrefs]


def offers_in_json(document: dict[str, Any], base: str) -> list[Offer]:
    """The files of a PEP 691 document.

    Example:
        >>> offers_in_json({"files": [{"filename": "a.whl", "url": "a.whl", "hashes": {}}]}, "https://x/")[0].url
        'https://x/a.whl'
    """
    return [
        Offer(
            filename=file["filename"],
            url=urljoin(base, file["url"]),
            sha256=file.get("hashes", {}).get("sha256", ""),
            bytes=file.get("size") or 0,
        )
        for file in document.get("files", [])
    ]


def offers_in_folder(folder: Path) -> list[Offer]:
    """The wheels that lie in a folder."""
    return [Offer(filename=path.name, url=path.as_uri()) for path in sorted(folder.absolute().glob("*.whl"))]


def wheel_among(offers: list[Offer], name: str, version: str) -> Offer | None:
    """The wheel of exactly *name* and *version*.

    Example:
        >>> offer = Offer(filename="A_b-1.0-py3-none-any.whl", url="https://x/y")
        >>> wheel_among([offer], "a-b", "1.0") is offer
        True
    """
    from packaging.utils import InvalidWheelFilename, canonicalize_name, parse_wheel_filename
    from packaging.version import Version

    for offer in offers:
        try:
            found, its_version, _, _ = parse_wheel_filename(offer.filename)
        except InvalidWheelFilename:
            continue
        if found == canonicalize_name(name) and its_version == Version(version):
            return offer
    return None


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.hrefs: list[str] = []
        self.base = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if href and tag == "a":
            self.hrefs.append(href)
        elif href and tag == "base":
            self.base = href


def _linked(href: str, base: str) -> Offer:
    url, fragment = urldefrag(urljoin(base, href))
    filename = url2pathname(urlsplit(url).path).replace("\\", "/").rpartition("/")[2]
    sha256 = fragment.removeprefix("sha256=") if fragment.startswith("sha256=") else ""
    return Offer(filename=filename, url=url, sha256=sha256)


def _pip_options() -> dict[str, str]:
    """The options of pip itself, or those of its environment variables where there is no pip (uv makes such)."""
    configured = _pip_configuration(tuple(sorted((k, v) for k, v in os.environ.items() if k.startswith("PIP_"))))
    if configured is not None:
        return configured
    names = ("index-url", "extra-index-url", "find-links", "no-index", "cert")
    values = {name: os.environ.get("PIP_" + name.upper().replace("-", "_"), "") for name in names}
    return {name: value for name, value in values.items() if value}


@lru_cache(maxsize=4)
def _pip_configuration(_environment: tuple[tuple[str, str], ...]) -> dict[str, str] | None:
    command = [sys.executable, "-m", "pip", "config", "list", "--disable-pip-version-check"]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, timeout=20, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    found = {(section, name): value for section, name, value in _settings(answer.stdout)}
    return {name: found[section, name] for section in _SECTIONS for place, name in found if place == section}


def _settings(listing: str) -> Iterator[tuple[str, str, str]]:
    """Section, option and value of each line ``section.option='value'``."""
    for line in listing.splitlines():
        key, separator, value = line.partition("=")
        section, dot, name = key.rpartition(".")
        if separator and dot:
            yield section, name, str(ast.literal_eval(value))
