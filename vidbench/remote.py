"""The engine of another process: the same calls, answers and errors, over its endpoint."""

from __future__ import annotations

import time
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from vidbench import errors
from vidbench.contract.calls import CALLS
from vidbench.contract.engine import Engine
from vidbench.contract.parameters import parameters_to_json

if TYPE_CHECKING:
    import httpx
    import pandas as pd

    from vidbench.contract.jobs import Events

P = ParamSpec("P")
R = TypeVar("R")

CONNECT_SECONDS = 5.0
"""A loopback connection is there at once, or the owner is gone."""

ANSWER_SECONDS = 300.0
"""Longest that a call may take: a slow probe, or a query over everything."""

WAIT_SECONDS = 25.0
"""Longest single wait for events; below what the owner allows."""

WAIT_MARGIN_SECONDS = 10.0
"""What the answer to a wait may be late by."""

KEEP_ALIVE_SECONDS = 30.0
"""Idle connections are dropped before the owner drops them: no request meets a closed one."""


def _remote(method: Callable[Concatenate[Any, P], R]) -> Callable[Concatenate[RemoteEngine, P], R]:
    """*method* of ``Engine``, asked of the owner."""
    name = method.__name__

    def ask(self: RemoteEngine, /, *_args: P.args, **arguments: P.kwargs) -> R:
        answer: R = self.call(name, arguments)
        return answer

    ask.__name__, ask.__qualname__, ask.__doc__ = name, f"RemoteEngine.{name}", method.__doc__
    return ask


class RemoteEngine:
    """An ``Engine`` that asks the owner of a workspace.

    Safe to use from several threads. Every call raises what the owner raised, ``OwnerGone`` where
    nobody answers, and ``InvalidInput`` where the token is wrong.

    Args:
        url: the owner's endpoint, as written in ``owner.json``.
        token: the token written beside it.

    Example:
        >>> engine = RemoteEngine("http://127.0.0.1:39481", token)  # doctest: +SKIP
        >>> engine.get_file(name="talk.mp4").filename  # doctest: +SKIP
        'talk.mp4'
    """

    def __init__(self, url: str, token: str) -> None:
        import httpx

        self._url = url.rstrip("/")
        self._client = httpx.Client(
            base_url=self._url,
            headers={"Authorization": f"Bearer {token}"},
            timeout=httpx.Timeout(ANSWER_SECONDS, connect=CONNECT_SECONDS),
            limits=httpx.Limits(keepalive_expiry=KEEP_ALIVE_SECONDS),
            # Loading the certificates of the web takes a tenth of a second, and http needs none.
            verify=self._url.startswith("https:"),
            # A proxy could not reach this machine's loopback address, and must not see the token.
            trust_env=False,
        )

    info = _remote(Engine.info)
    add_file = _remote(Engine.add_file)
    list_files = _remote(Engine.list_files)
    get_file = _remote(Engine.get_file)
    submit = _remote(Engine.submit)
    get_job = _remote(Engine.get_job)
    list_jobs = _remote(Engine.list_jobs)
    cancel_job = _remote(Engine.cancel_job)
    read_rows = _remote(Engine.read_rows)
    get_describe = _remote(Engine.get_describe)
    current_describe = _remote(Engine.current_describe)
    get_segmentation = _remote(Engine.get_segmentation)
    retune = _remote(Engine.retune)
    list_collections = _remote(Engine.list_collections)
    create_collection = _remote(Engine.create_collection)
    get_collection = _remote(Engine.get_collection)
    add_to_collection = _remote(Engine.add_to_collection)
    get_chat = _remote(Engine.get_chat)
    list_chats = _remote(Engine.list_chats)
    list_models = _remote(Engine.list_models)
    thumbnail = _remote(Engine.thumbnail)

    def wait_events(self, *, job_id: str, after: int = 0, timeout: float = 0.0) -> Events:
        """The job, and its events after number *after*; waits up to *timeout* seconds for one."""
        deadline = time.monotonic() + timeout
        while True:
            left = max(deadline - time.monotonic(), 0.0)
            wait = min(left, WAIT_SECONDS)
            arguments = {"job_id": job_id, "after": after, "timeout": wait}
            found: Events = self.call("wait_events", arguments, seconds=wait + WAIT_MARGIN_SECONDS)
            if found.events or found.job.state.ended or left <= WAIT_SECONDS:
                return found

    def query(
        self,
        *,
        sql: str,
        parameters: list[Any] | dict[str, Any] | None = None,
        frames: Mapping[str, pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """One SELECT over the friendly views, with parameters and DataFrames as tables."""
        from vidbench.store.parquet import from_parquet_bytes, to_parquet_bytes

        sent = {name: b64encode(to_parquet_bytes(df)).decode() for name, df in (frames or {}).items()}
        arguments = {
            "sql": sql,
            "parameters": parameters_to_json(parameters),
            "frames": sent or None,
        }
        return from_parquet_bytes(b64decode(self.call("query", arguments)))

    def close(self) -> None:
        """Let go of the connections; the owner goes on."""
        self._client.close()

    def call(self, name: str, arguments: Mapping[str, Any], *, seconds: float = ANSWER_SECONDS) -> Any:
        """Ask for the call *name* and wait *seconds* at most for its answer.

        Raises:
            VidbenchError: what the owner raised, as the class it raised.
            OwnerGone: nobody answers at this address any more, or somebody else does.
        """
        call = CALLS[name]
        response = self._post(f"/bench/{name}", call.arguments_to_json(arguments), seconds)
        if response.status_code != 200:
            raise self._error_of(response)
        try:
            return call.answer_from_json(response.content)
        except ValueError as error:  # pydantic's errors are ValueErrors
            msg = f"the owner's answer to {name} cannot be read"
            raise errors.VidbenchError(msg, hint="Run the same version on both sides.") from error

    def _post(self, path: str, body: dict[str, Any], seconds: float) -> httpx.Response:
        import httpx

        try:
            return self._client.post(path, json=body, timeout=httpx.Timeout(seconds, connect=CONNECT_SECONDS))
        except (httpx.ReadTimeout, httpx.WriteTimeout, httpx.PoolTimeout) as error:
            msg = f"the owner of the workspace has not answered {path} within {seconds:.0f} s"
            raise errors.VidbenchError(msg, hint="It may be busy or stopped; ask again.") from error
        except httpx.TransportError as error:
            raise self._gone(str(error)) from error

    def _error_of(self, response: httpx.Response) -> errors.VidbenchError:
        try:
            fault = response.json()
            kind = errors.by_name(fault["kind"])
            return kind(fault["error"], hint=fault["hint"], field=fault["field"], file=fault["file"])
        except (ValueError, KeyError, TypeError):  # an answer that no vidbench gives
            return self._gone(f"another program answers there, with status {response.status_code}")

    def _gone(self, why: str) -> errors.OwnerGone:
        return errors.OwnerGone(
            f"the owner of the workspace does not answer at {self._url}: {why}",
            hint="Open the workspace again; it takes over.",
        )
