"""The owner's ear: a web server in a thread of the owning process, on a loopback port."""

from __future__ import annotations

import contextlib
import logging
import os
import socket
import threading
import weakref
from importlib.util import find_spec
from typing import TYPE_CHECKING

from vidbench.errors import MissingExtra

if TYPE_CHECKING:
    import uvicorn

    from vidbench.contract.engine import Engine

BACKLOG = 128
"""Connections that wait while the server is still being loaded."""

KEEP_ALIVE_SECONDS = 75
"""Longer than our clients keep an idle connection, so that none is closed under a request."""

STOP_SECONDS = 5.0
"""Longest that ``stop`` waits for requests in progress."""

logger = logging.getLogger(__name__)


class Endpoint:
    """A running endpoint; made by ``Endpoint.start``.

    Args:
        engine: what answers.
        token: the bearer token of every request.
        listener: the bound and listening socket; the endpoint closes it.
    """

    def __init__(self, engine: Engine, token: str, listener: socket.socket) -> None:
        self._engine = engine
        self._token = token
        self._listener = listener
        self._port: int = listener.getsockname()[1]
        self._stopping = threading.Event()
        self._server: uvicorn.Server | None = None
        self._thread = threading.Thread(target=self._serve, name="vidbench-endpoint", daemon=True)

    @classmethod
    def start(cls, engine: Engine, token: str) -> Endpoint:
        """Listen on a free port of 127.0.0.1 and answer for *engine*.

        The port listens when this returns; the web framework is loaded in the thread, and early
        requests wait for it.

        Raises:
            MissingExtra: the web framework is not installed.

        Example:
            >>> endpoint = Endpoint.start(engine, token="...")  # doctest: +SKIP
            >>> endpoint.url  # doctest: +SKIP
            'http://127.0.0.1:39481'
        """
        for library in ("fastapi", "uvicorn"):
            if find_spec(library) is None:
                raise MissingExtra.of(library, "server")
        listener = _listening()
        endpoint = cls(engine, token, listener)
        _close_in_forks(listener)
        endpoint._thread.start()
        return endpoint

    @property
    def url(self) -> str:
        """Where it answers, without a trailing slash."""
        return f"http://127.0.0.1:{self._port}"

    def stop(self) -> None:
        """Stop answering; requests in progress get a moment, waiting ones end at once."""
        self._stopping.set()
        if self._server is not None:
            self._server.should_exit = True
        if threading.current_thread() is not self._thread:
            self._thread.join(STOP_SECONDS)
        self._listener.close()

    def _serve(self) -> None:
        try:
            server = self._server = self._made()
            server.should_exit = self._stopping.is_set()
            if not server.should_exit:
                server.run(sockets=[self._listener])
        except Exception:
            logger.exception("the endpoint cannot serve")
        finally:
            self._listener.close()

    def _made(self) -> uvicorn.Server:
        import uvicorn

        from vidbench_server.app import create_app

        config = uvicorn.Config(
            create_app(self._engine, self._token, stopping=self._stopping),
            loop="asyncio",
            lifespan="off",
            ws="none",
            log_config=None,  # the notebook's own logging stays as it is
            log_level="warning",
            access_log=False,
            server_header=False,
            timeout_keep_alive=KEEP_ALIVE_SECONDS,
            timeout_graceful_shutdown=1,
        )
        return uvicorn.Server(config)


def _listening() -> socket.socket:
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol; with it on,
    # each answer comes 40 ms late.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen(BACKLOG)
    return listener


def _close_in_forks(listener: socket.socket) -> None:
    """Let no forked child hold the port open: clients of a dead owner would wait for ever."""
    listening = weakref.ref(listener)

    def close() -> None:
        with contextlib.suppress(OSError):
            if (inherited := listening()) is not None:
                inherited.close()

    os.register_at_fork(after_in_child=close)
