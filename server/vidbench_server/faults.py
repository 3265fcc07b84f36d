"""Errors as JSON, ``{"error", "kind", "hint", "field", "file"}``, and never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from vidbench import errors

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request

STATUS: dict[type[errors.VidbenchError], int] = {
    errors.VidbenchError: 500,
    errors.InvalidInput: 400,
    errors.NotFound: 404,
    errors.NotReady: 409,
    errors.Conflict: 409,
    errors.WorkspaceBusy: 409,
    errors.JobCancelled: 409,
    errors.Interrupted: 409,
}
"""Error class -> status; a class that is not listed has its parent's."""


def status_of(error: errors.VidbenchError) -> int:
    """The status that *error* is answered with.

    Example:
        >>> status_of(errors.MediaError("no video"))
        400
    """
    return next(STATUS[kind] for kind in type(error).__mro__ if kind in STATUS)


def fault_response(
    error: errors.VidbenchError,
    status: int | None = None,
    *,
    headers: Mapping[str, str] | None = None,
) -> JSONResponse:
    """*error* as a response, with its own status where *status* is None."""
    content = {
        "error": error.message,
        "kind": type(error).__name__,
        "hint": error.hint,
        "field": error.field,
        "file": error.file,
    }
    return JSONResponse(content, status_code=status or status_of(error), headers=headers)


def unexpected() -> JSONResponse:
    """The answer to what is no error of ours; what it was stands in the log alone."""
    return fault_response(
        errors.VidbenchError("something went wrong inside the owning process", hint="Its log says what."),
        500,
    )


async def of_framework(_request: Request, error: Exception) -> JSONResponse:
    """What the framework refuses (unknown path, wrong method), in the same shape."""
    assert isinstance(error, HTTPException)
    kind = errors.NotFound if error.status_code == 404 else errors.InvalidInput
    return fault_response(kind(error.detail), error.status_code, headers=error.headers)
