"""A hub and a package index on this machine, and nothing of the user's own."""

from __future__ import annotations

import sys
import threading
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from vidbench.models import download

# Tests are no package: the tests of this room find their common module here.
sys.path.insert(0, str(Path(__file__).parent))

from parrot import TOKENS, TOKENS_PATH, WEIGHTS, WEIGHTS_PATH, Server, fill_index, handler_of


@pytest.fixture
def server():
    """A web server that a test fills."""
    state = Server()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(state))
    state.url = f"http://127.0.0.1:{httpd.server_address[1]}"
    thread = threading.Thread(target=httpd.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield state
    httpd.shutdown()
    thread.join()
    httpd.server_close()


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No setting of the user, no network: a hub and an index where nothing listens."""
    for name in (
        "VIDBENCH_TIER",
        "VIDBENCH_CATALOGUE",
        "VIDBENCH_OFFLINE",
        "HF_HUB_OFFLINE",
        "HF_TOKEN",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in (
        "UV_INDEX_URL",
        "UV_DEFAULT_INDEX",
        "UV_INDEX",
        "UV_EXTRA_INDEX_URL",
        "UV_FIND_LINKS",
    ):
        monkeypatch.delenv(name, raising=False)
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_FIND_LINKS", "PIP_NO_INDEX", "PIP_CERT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple/")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setenv("VIDBENCH_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(download, "PAUSE_SECONDS", 0.01)


@pytest.fixture
def hub(server, monkeypatch):
    """A hub that holds the parrot."""
    server.files |= {WEIGHTS_PATH: WEIGHTS, TOKENS_PATH: TOKENS, "/": b"a hub"}
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    return server


@pytest.fixture(params=["json", "html"])
def index(server, monkeypatch, request):
    """A package index in either of its two languages that holds the parrot in two wheels."""
    fill_index(server, request.param)
    monkeypatch.setenv("PIP_INDEX_URL", f"{server.url}/simple")
    return server
