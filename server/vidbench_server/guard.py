"""Who may come in: the right token, a loopback ``Host``, and no more body than allowed.

The check of ``Host`` keeps a web page from reaching the endpoint through a name that it makes
point to the loopback address (DNS rebinding). There are no CORS headers, so no page can read an
answer either.
"""

from __future__ import annotations

import hmac
import re
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

from vidbench.errors import InvalidInput
from vidbench_server.faults import fault_response

if TYPE_CHECKING:
    from starlette.responses import Response
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_BODY_BYTES = 64 * 1024 * 1024
"""Largest request body: a DataFrame of some millions of numbers."""

_LOOPBACK = re.compile(rb"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?", re.IGNORECASE)


class Guard:
    """ASGI middleware before every route, the unknown ones included.

    Args:
        app: what is guarded.
        token: the bearer token that is asked for.
        max_body_bytes: largest request body.
    """

    def __init__(self, app: ASGIApp, *, token: str, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._app = app
        self._credentials = f"Bearer {token}".encode()
        self._max_body_bytes = max_body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the refusal, or pass the request on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] == "websocket":  # there are none here, so none gets past
            await send({"type": "websocket.close", "code": 1008})
            return
        refusal = self._refusal(scope["headers"])
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        await self._app(scope, self._counted(receive), send)

    def _refusal(self, headers: list[tuple[bytes, bytes]]) -> Response | None:
        hosts = [value for name, value in headers if name == b"host"]
        if len(hosts) != 1 or not _LOOPBACK.fullmatch(hosts[0]):
            return fault_response(
                InvalidInput("the Host header names no loopback address", hint="Use the URL in owner.json."),
                403,
            )
        given = [value for name, value in headers if name == b"authorization"]
        if len(given) != 1 or not hmac.compare_digest(given[0], self._credentials):
            return fault_response(
                InvalidInput(
                    "the token is missing or wrong",
                    hint="Use the token in owner.json.",
                    field="token",
                ),
                401,
                headers={"WWW-Authenticate": "Bearer"},
            )
        length = next((value for name, value in headers if name == b"content-length"), b"0")
        return self._too_large() if int(length) > self._max_body_bytes else None

    def _counted(self, receive: Receive) -> Receive:
        """*receive*, ending a body that is sent in chunks and grows too large."""
        received = 0

        async def counting() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > self._max_body_bytes:
                raise HTTPException(413, self._limit())
            return message

        return counting

    def _too_large(self) -> Response:
        return fault_response(InvalidInput(self._limit(), hint="Send less at a time."), 413)

    def _limit(self) -> str:
        return f"the body is larger than {self._max_body_bytes // (1024 * 1024)} MiB"
