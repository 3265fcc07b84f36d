"""Turning outside data into contract objects, and back: the one place where pydantic works for the engine."""

from __future__ import annotations

import dataclasses
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

from vidbench.errors import InvalidInput

if TYPE_CHECKING:
    from pydantic import TypeAdapter

T = TypeVar("T")


def adapter(kind: Any) -> TypeAdapter[Any]:
    """The pydantic adapter of *kind*, made once."""
    return _made(kind)


@lru_cache(maxsize=256)
def _made(kind: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


def parse(kind: type[T], data: Any, *, subject: str = "", strict_fields: bool = True) -> T:
    """*data* as a *kind*.

    Args:
        kind: a contract dataclass.
        data: JSON-like data, or a *kind* already.
        subject: what the data is, for the message.
        strict_fields: whether an unknown field is an error.

    Raises:
        InvalidInput: names the first field that is wrong, what is wrong with it and what is allowed.

    Example:
        >>> from vidbench.contract.segmentation import UniformConfig
        >>> parse(UniformConfig, {"window_seconds": 0}).window_seconds
        Traceback (most recent call last):
        vidbench.errors.InvalidInput: window_seconds: Input should be greater than or equal to 1 (got 0)
    """
    from pydantic import ValidationError

    if strict_fields and isinstance(data, dict):
        _refuse_unknown(kind, data, subject)
    try:
        parsed: T = adapter(kind).validate_python(_plain(data))
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if not str(part).startswith("constrained"))
        field = f"{subject}.{where}".strip(".") if subject else where
        msg = f"{field or kind.__name__}: {first['msg']} (got {first['input']!r:.80})"
        raise InvalidInput(msg, field=field) from None
    return parsed


def to_json(value: Any) -> Any:
    """A contract object as JSON-like data, every field present.

    Example:
        >>> from vidbench.contract.segmentation import UniformConfig
        >>> to_json(UniformConfig())
        {'window_seconds': 20.0, 'hop_seconds': None}
    """
    return adapter(type(value)).dump_python(value, mode="json")


def to_wire(value: Any) -> Any:
    """A contract object as the interface sends it: fields that are None are left out.

    Example:
        >>> from vidbench.contract.segmentation import UniformConfig
        >>> to_wire(UniformConfig())
        {'window_seconds': 20.0}
    """
    return adapter(type(value)).dump_python(value, mode="json", exclude_none=True)


def _plain(data: Any) -> Any:
    return dataclasses.asdict(data) if dataclasses.is_dataclass(data) and not isinstance(data, type) else data


def _refuse_unknown(kind: Any, data: dict[str, Any], subject: str) -> None:
    known = [field.name for field in dataclasses.fields(kind)]
    for name in data:
        if name not in known:
            field = f"{subject}.{name}".strip(".")
            msg = f"{field}: no such field"
            raise InvalidInput(msg, hint=f"Known fields: {', '.join(known)}.", field=field)
