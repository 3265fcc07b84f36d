"""``/bench``: a route for each call of ``Engine`` and each operation, made from their lists."""

from __future__ import annotations

import json
import logging
import time
from base64 import b64decode, b64encode
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter
from fastapi.requests import Request
from fastapi.responses import Response
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException

from vidbench.contract.calls import CALLS, Call
from vidbench.contract.parameters import parameters_from_json
from vidbench.contract.validation import parse, to_json
from vidbench.errors import InvalidInput, VidbenchError
from vidbench.operations import OPERATIONS, Operation
from vidbench.store.parquet import from_parquet_bytes, to_parquet_bytes
from vidbench_server.faults import fault_response, unexpected

if TYPE_CHECKING:
    import threading

    from vidbench.contract.engine import Engine
    from vidbench.contract.jobs import Events

MAX_WAIT_SECONDS = 30.0
"""Longest that ``wait_events`` holds an answer back; the caller asks again."""

SLICE_SECONDS = 0.5
"""How long one wait keeps a thread: callers that went away and a stop are noticed in between."""

logger = logging.getLogger(__name__)

Answer = Callable[[Request, Any], Awaitable[bytes]]
"""From a request and its JSON body to the JSON of the answer."""


def bench_router(engine: Engine, stopping: threading.Event) -> APIRouter:
    """The routes below ``/bench``.

    Args:
        engine: what answers.
        stopping: set when the endpoint is about to close; waits end then.
    """
    router = APIRouter(prefix="/bench")
    for call in CALLS.values():
        waits = call.name == "wait_events"
        _add(
            router,
            f"/{call.name}",
            _waiting(call, engine, stopping) if waits else _calling(call, engine),
        )
    for operation in OPERATIONS:
        _add(router, f"/operations/{operation.name}", _submitting(operation, engine))
    return router


def _add(router: APIRouter, path: str, answer: Answer) -> None:
    async def endpoint(request: Request) -> Response:
        try:
            content = await answer(request, _json_of(await request.body()))
        except VidbenchError as error:
            return fault_response(error)
        except HTTPException:
            raise
        except Exception:
            logger.exception("%s failed", path)
            return unexpected()
        return Response(content, media_type="application/json")

    router.add_api_route(path, endpoint, methods=["POST"], response_model=None)


def _json_of(body: bytes) -> Any:
    try:
        return json.loads(body or b"{}")
    except ValueError as error:  # JSON and UTF-8 errors are ValueErrors
        raise InvalidInput(f"the body is no JSON: {error}") from error


def _calling(call: Call, engine: Engine) -> Answer:
    function = partial(_query, engine) if call.name == "query" else getattr(engine, call.name)

    def answer(body: Any) -> bytes:
        return call.answer_to_json(function(**call.arguments_from_json(body)))

    async def in_thread(_request: Request, body: Any) -> bytes:
        return await run_in_threadpool(answer, body)

    return in_thread


def _waiting(call: Call, engine: Engine, stopping: threading.Event) -> Answer:
    async def answer(request: Request, body: Any) -> bytes:
        arguments = call.arguments_from_json(body)
        timeout = min(arguments.pop("timeout", 0.0), MAX_WAIT_SECONDS)
        deadline = time.monotonic() + timeout
        while True:
            left = max(deadline - time.monotonic(), 0.0)
            ask = partial(engine.wait_events, **arguments, timeout=min(left, SLICE_SECONDS))
            found: Events = await run_in_threadpool(ask)
            over = found.events or found.job.state.ended or left <= SLICE_SECONDS
            if over or stopping.is_set() or await request.is_disconnected():
                return call.answer_to_json(found)

    return answer


def _submitting(operation: Operation, engine: Engine) -> Answer:
    submit = CALLS["submit"]

    def answer(body: Any) -> bytes:
        whole = body if isinstance(body, dict) else {}
        arguments = submit.arguments_from_json({"config": {}, **whole, "operation": operation.name})
        config: Any = parse(operation.config, arguments["config"], subject="config")
        arguments["config"] = to_json(config)
        return submit.answer_to_json(engine.submit(**arguments))

    async def in_thread(_request: Request, body: Any) -> bytes:
        return await run_in_threadpool(answer, body)

    return in_thread


def _query(engine: Engine, *, sql: str, parameters: Any = None, frames: dict[str, str] | None = None) -> str:
    """``Engine.query`` in the types that travel."""
    tables = {name: from_parquet_bytes(_bytes_of(name, text)) for name, text in (frames or {}).items()}
    df = engine.query(sql=sql, parameters=parameters_from_json(parameters), frames=tables or None)
    return b64encode(to_parquet_bytes(df)).decode()


def _bytes_of(name: str, text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except ValueError as error:
        raise InvalidInput(f"frames.{name}: is no base64 text", field=f"frames.{name}") from error
