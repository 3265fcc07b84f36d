"""The app: guard, errors, routes, and the document that describes them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from vidbench_server.bench import bench_router
from vidbench_server.document import bench_document
from vidbench_server.faults import of_framework
from vidbench_server.guard import MAX_BODY_BYTES, Guard

if TYPE_CHECKING:
    from vidbench.contract.engine import Engine


def create_app(
    engine: Engine,
    token: str,
    *,
    stopping: threading.Event | None = None,
    max_body_bytes: int = MAX_BODY_BYTES,
) -> FastAPI:
    """The app that serves *engine* to whoever knows *token*.

    Args:
        engine: what answers.
        token: the bearer token of every request.
        stopping: set when the server is about to close, so that waiting calls end.
        max_body_bytes: largest request body.
    """
    # Without interactive docs, whose scripts come from elsewhere, and without redirects of a POST.
    app = FastAPI(title="vidbench", openapi_url=None, docs_url=None, redoc_url=None, redirect_slashes=False)
    app.add_exception_handler(HTTPException, of_framework)
    app.include_router(bench_router(engine, stopping or threading.Event()))

    @app.get("/bench/openapi.json")
    def document() -> JSONResponse:
        return JSONResponse(bench_document())

    app.add_middleware(Guard, token=token, max_body_bytes=max_body_bytes)
    return app
