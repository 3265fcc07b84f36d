"""The client's side of the wire: owners that are gone, slow, strange, or behind a proxy setting."""

from __future__ import annotations

import json
import socket
import socketserver
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from vidbench import errors
from vidbench.contract.calls import CALLS
from vidbench.contract.engine import Engine
from vidbench.remote import RemoteEngine


@contextmanager
def listening(answer: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a program that does *answer* to each connection."""

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            self.request.recv(65536)
            answer(self.request)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def saying(status: str, body: bytes) -> Callable[[socket.socket], None]:
    """An HTTP answer of *status* with *body*."""
    head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode()
    return lambda connection: connection.sendall(head + body)


def refused() -> str:
    """An address where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}"


def test_nobody_there():
    """A refused connection is an OwnerGone that names the address and says what to do."""
    url = refused()
    with pytest.raises(errors.OwnerGone, match="takes over") as caught:
        RemoteEngine(url, "t").list_files()

    assert url in caught.value.message


@pytest.mark.parametrize(
    "answer",
    [
        lambda connection: None,
        lambda connection: connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{"),
        lambda connection: connection.sendall(b"SSH-2.0-OpenSSH\r\n"),
        lambda connection: connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0"),
    ],
    ids=["closed", "cut short", "no HTTP", "reset"],
)
def test_gone_in_the_middle(answer):
    """A connection that closes, breaks or talks otherwise is an OwnerGone."""
    with listening(answer) as url, pytest.raises(errors.OwnerGone):
        RemoteEngine(url, "t").list_files()


@pytest.mark.parametrize("body", [b"<html>not found</html>", b"{}", b"[]", b'"x"', b'{"error": "no"}', b"\xff"])
def test_another_program_at_that_port(body):
    """An error that no vidbench sends means that the owner is gone and its port was taken."""
    program = listening(saying("404 Not Found", body))
    with program as url, pytest.raises(errors.OwnerGone, match="another program"):
        RemoteEngine(url, "t").list_files()


@pytest.mark.parametrize("body", [b"<html>", b'{"a": 1}', b'[{"file_id": 3}]'])
def test_an_answer_of_another_version(body):
    """An answer that cannot be read is a clear error, not a validation report."""
    program = listening(saying("200 OK", body))
    with program as url, pytest.raises(errors.VidbenchError, match="Run the same version"):
        RemoteEngine(url, "t").list_files()


def test_an_error_of_a_newer_version():
    """A class of error that is not known here is still a VidbenchError with its message."""
    fault = {"error": "no", "kind": "Novel", "hint": "h", "field": "f", "file": ""}
    program = listening(saying("400 Bad Request", json.dumps(fault).encode()))
    with program as url, pytest.raises(errors.VidbenchError) as caught:
        RemoteEngine(url, "t").list_files()

    assert type(caught.value) is errors.VidbenchError
    assert (caught.value.message, caught.value.hint, caught.value.field) == ("no", "h", "f")


def test_a_silent_owner():
    """An owner that accepts and does not answer gives an error that says how long was waited."""
    silence = threading.Event()
    with listening(lambda connection: silence.wait(5)) as url:
        with pytest.raises(errors.VidbenchError, match="has not answered /bench/list_files within 0 s"):
            RemoteEngine(url, "t").call("list_files", {}, seconds=0.3)
        silence.set()


def test_proxies_are_not_asked(monkeypatch):
    """Proxy settings of the environment neither break a call nor see its token."""
    seen = []
    with (
        listening(lambda connection: seen.append(1)) as proxy,
        listening(saying("200 OK", b"[]")) as url,
    ):
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy)

        assert RemoteEngine(url, "t").list_files() == ()
    assert seen == []


def test_the_token_is_sent_as_a_bearer():
    """Each request carries the token in its header, and never in its address."""
    heard = []

    class Handler(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            heard.append(self.request.recv(65536))
            saying("200 OK", b"[]")(self.request)

    with socketserver.TCPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.handle_request, daemon=True).start()
        RemoteEngine(f"http://127.0.0.1:{server.server_address[1]}/", "s3cret").list_files()

    assert heard[0].startswith(b"POST /bench/list_files HTTP/1.1\r\n")
    assert b"authorization: bearer s3cret" in heard[0].lower()


def test_it_is_an_engine():
    """Type checkers and readers find every method of Engine on RemoteEngine, under its own name."""
    engine: Engine = RemoteEngine(refused(), "t")

    for name in CALLS:
        method = getattr(engine, name)

        assert method.__name__ == name
        assert method.__qualname__ == f"RemoteEngine.{name}"
