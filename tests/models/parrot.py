"""A small model, and a web server that can play its hub and its package index."""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from io import BytesIO
from pathlib import Path

from vidbench.contract.models import ModelEntry, ModelFile, ModelSource

WEIGHTS = bytes(range(256)) * 1200
"""307,200 bytes of model."""
TOKENS = b'{"tokens": []}'


def sha256(data: bytes) -> str:
    """SHA-256 in hex."""
    return hashlib.sha256(data).hexdigest()


def git_blob(data: bytes) -> str:
    """The id that Git gives to *data*."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def wheel(members: dict[str, bytes]) -> bytes:
    """A zip file with *members*."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return buffer.getvalue()


@dataclass
class Server:
    """What a test server holds, and what it was asked.

    Attributes:
        files: path -> content.
        headers: path -> further headers of the answer.
        cut: path -> bytes after which the connection is dropped, once.
        ranges: whether Range requests are honoured.
        asked: method, path and Range header of each request.
    """

    url: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    headers: dict[str, dict[str, str]] = field(default_factory=dict)
    cut: dict[str, int] = field(default_factory=dict)
    status: dict[str, list[int]] = field(default_factory=dict)
    ranges: bool = True
    asked: list[tuple[str, str, str]] = field(default_factory=list)
    sent: int = 0

    def gets(self, path: str) -> list[str]:
        """The Range header of each GET of *path*."""
        return [ranges for method, asked, ranges in self.asked if (method, asked) == ("GET", path)]


class Handler(BaseHTTPRequestHandler):
    """Serves what ``state`` holds."""

    state: Server
    protocol_version = "HTTP/1.1"

    def do_HEAD(self):
        self.answer(body=False)

    def do_GET(self):
        self.answer(body=True)

    def answer(self, *, body):
        wanted = self.headers.get("Range", "")
        self.state.asked.append((self.command, self.path, wanted))
        refusals = self.state.status.get(self.path, [])
        data = self.state.files.get(self.path)
        if refusals or data is None:
            return self.refuse(refusals.pop(0) if refusals else 404)
        start = 0
        if wanted and self.state.ranges:
            start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1])
            if start >= len(data):
                return self.refuse(416)
        self.send_response(206 if start else 200)
        for name, value in self.state.headers.get(self.path, {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data) - start))
        self.end_headers()
        if body:
            self.send(data[start:])
        return None

    def refuse(self, status):
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def send(self, data):
        limit = self.state.cut.pop(self.path, None)
        # Counted first: the client may look as soon as it has the last byte.
        self.state.sent += len(data[:limit])
        with suppress(ConnectionError):  # the client may have read enough
            self.wfile.write(data[:limit])
        if limit is not None:
            self.close_connection = True

    def log_message(self, *_):
        pass


def handler_of(state: Server) -> type[Handler]:
    """A request handler that serves *state*."""
    return type("Handler", (Handler,), {"state": state})


def entry_with(*sources: ModelSource, weights: bytes = WEIGHTS, name: str = "parrot") -> ModelEntry:
    """A language model of two files that can be had from *sources*."""
    files = (
        ModelFile(name="model.gguf", sha256=sha256(weights), bytes=len(weights)),
        ModelFile(name="tokenizer.json", sha256=sha256(TOKENS), bytes=len(TOKENS)),
    )
    return ModelEntry(
        name=name,
        role="language",
        tier="small",
        engine="llama-cpp",
        publisher="a parrot",
        licence="MIT",
        files=files,
        sources=sources,
        context=512,
    )


HUB = ModelSource(kind="hub", repository="birds/parrot", revision="abc", members={"model.gguf": ("q4.gguf",)})
WEIGHTS_PATH = "/birds/parrot/resolve/abc/q4.gguf"
TOKENS_PATH = "/birds/parrot/resolve/abc/tokenizer.json"
WHEELS = ModelSource(
    kind="wheel",
    packages=("parrot-part1==1.0", "parrot-part2==1.0"),
    members={
        "model.gguf": ("parrot_part1/data/part1.bin", "parrot_part2/data/part2.bin"),
        "tokenizer.json": ("parrot_part1/tokenizer.json",),
    },
)


def parts() -> dict[str, bytes]:
    """File name -> the two wheels of the parrot."""
    first = {
        "parrot_part1/data/part1.bin": WEIGHTS[:200_000],
        "parrot_part1/tokenizer.json": TOKENS,
    }
    second = {"parrot_part2/data/part2.bin": WEIGHTS[200_000:]}
    return {
        "parrot_part1-1.0-py3-none-any.whl": wheel(first),
        "parrot_part2-1.0-py3-none-any.whl": wheel(second),
    }


def fill_index(server: Server, language: str) -> None:
    """Put the parrot's wheels and their pages into *server*."""
    server.files["/simple/"] = b"an index"
    for name, data in parts().items():
        project = name.split("-")[0].replace("_", "-")
        page = f"/simple/{project}/"
        server.files[f"/files/{name}"] = data
        server.files[f"/files/old-{name}"] = b"another version"
        if language == "json":
            listing = {
                "meta": {"api-version": "1.1"},
                "name": project,
                "files": [
                    {
                        "filename": name.replace("1.0", "0.9"),
                        "url": f"../../files/old-{name}",
                        "hashes": {},
                    },
                    {
                        "filename": name,
                        "url": f"../../files/{name}",
                        "hashes": {"sha256": sha256(data)},
                        "size": len(data),
                    },
                ],
            }
            server.files[page] = json.dumps(listing).encode()
            server.headers[page] = {"Content-Type": "application/vnd.pypi.simple.v1+json"}
        else:
            links = f'<a href="../../files/old-{name}">{name.replace("1.0", "0.9")}</a>'
            links += f'<a href="../../files/{name}#sha256={sha256(data)}">{name}</a>'
            server.files[page] = f"<!DOCTYPE html><html><body>{links}</body></html>".encode()
            server.headers[page] = {"Content-Type": "text/html"}


def folder() -> Path:
    """Where the parrot goes."""
    from vidbench.models import models_folder

    return models_folder() / "parrot"
