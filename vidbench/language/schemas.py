"""JSON Schemas of what a language model may write: small, flat, and every length bounded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Schema = dict[str, Any]


def text(longest: int) -> Schema:
    """A string of 1 to *longest* characters."""
    return {"type": "string", "minLength": 1, "maxLength": longest}


def choice(options: Sequence[str]) -> Schema:
    """One of *options*."""
    return {"enum": list(options)}


def several(item: Schema, *, least: int, most: int) -> Schema:
    """A list of *least* to *most* items."""
    return {"type": "array", "items": item, "minItems": least, "maxItems": most}


def record(**fields: Schema) -> Schema:
    """An object with exactly these fields, in this order.

    Example:
        >>> record(title=text(60))["required"]
        ['title']
    """
    return {"type": "object", "properties": fields, "required": list(fields)}


def either(*options: Schema) -> Schema:
    """One of several shapes."""
    return {"anyOf": list(options)}
