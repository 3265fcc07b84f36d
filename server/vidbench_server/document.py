"""The OpenAPI 3.1 document of ``/bench``, made from the lists that its routes are made from."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import version
from typing import Any

from vidbench.contract.calls import CALLS, Call, wire_type
from vidbench.contract.validation import adapter
from vidbench.operations import OPERATIONS, Operation

_TEXT = {"type": "string"}
_FAULT = {
    "type": "object",
    "description": "What went wrong, and what to do about it.",
    "properties": dict.fromkeys(("error", "kind", "hint", "field", "file"), _TEXT),
    "required": ["error", "kind", "hint", "field", "file"],
}
_REFUSALS = {
    "400": "An argument is missing, unknown or wrong.",
    "401": "The token is missing or wrong.",
    "404": "No file, collection, job or run of that name.",
    "409": "Not in this state, or not yet.",
    "500": "It could not be done.",
}


@lru_cache(maxsize=1)
def bench_document() -> dict[str, Any]:
    """The document, with a path for each call and each operation."""
    shapes, schemas = _shapes()
    paths = {f"/bench/{name}": _call_path(call, shapes) for name, call in CALLS.items()}
    for operation in OPERATIONS:
        paths[f"/bench/operations/{operation.name}"] = _operation_path(operation, shapes)
    return {
        "openapi": "3.1.0",
        "info": {"title": "vidbench /bench", "version": version("vidbench")},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Fault": _FAULT},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _shapes() -> tuple[dict[tuple[str, str], dict[str, Any]], dict[str, Any]]:
    """The schema of each argument, answer and config, and the schemas that they refer to."""
    from pydantic import TypeAdapter

    inputs: list[Any] = []
    for name, call in CALLS.items():
        inputs.append(((name, "->"), "serialization", adapter(wire_type(call.answer))))
        inputs += [((name, key), "validation", adapter(kind)) for key, kind in call.parameters.items()]
    inputs += [((f"operations/{item.name}", "config"), "validation", adapter(item.config)) for item in OPERATIONS]
    by_key, whole = TypeAdapter.json_schemas(inputs, ref_template="#/components/schemas/{model}")
    # The keys are ours, but pydantic types them by what JSON allows.
    named: dict[Any, dict[str, Any]] = {key: schema for (key, _mode), schema in by_key.items()}
    return named, whole["$defs"]


def _call_path(call: Call, shapes: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    body = {
        "type": "object",
        "properties": {name: shapes[call.name, name] for name in call.parameters},
        "required": sorted(call.required),
        "additionalProperties": False,
    }
    return _path(call.name, call.summary, body, shapes[call.name, "->"])


def _operation_path(operation: Operation, shapes: dict[tuple[str, str], dict[str, Any]]) -> dict[str, Any]:
    body = {
        "type": "object",
        "properties": {
            "subject_id": _TEXT,
            "config": shapes[f"operations/{operation.name}", "config"],
        },
        "required": ["subject_id"],
        "additionalProperties": False,
    }
    return _path(f"operation_{operation.name}", operation.summary, body, shapes["submit", "->"])


def _path(name: str, summary: str, body: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    responses = {"200": {"description": "The answer.", "content": _json(answer)}}
    fault = _json({"$ref": "#/components/schemas/Fault"})
    responses |= {status: {"description": text, "content": fault} for status, text in _REFUSALS.items()}
    request = {"required": bool(body["required"]), "content": _json(body)}
    return {
        "post": {
            "operationId": name,
            "summary": summary,
            "requestBody": request,
            "responses": responses,
        }
    }


def _json(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}
