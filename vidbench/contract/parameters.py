"""SQL parameters as JSON: what JSON has no type for travels as ``{"$date": "2024-01-31"}``."""

from __future__ import annotations

import datetime as dt
import uuid
from decimal import Decimal
from typing import Any

from vidbench.contract.validation import adapter, parse
from vidbench.errors import InvalidInput

# In this order, because a datetime is a date too.
_KINDS: dict[str, type] = {
    "$datetime": dt.datetime,
    "$date": dt.date,
    "$time": dt.time,
    "$timedelta": dt.timedelta,
    "$decimal": Decimal,
    "$uuid": uuid.UUID,
    "$bytes": bytes,
}


def parameters_to_json(value: Any, *, where: str = "parameters") -> Any:
    """*value* and all that is in it as JSON-like data.

    Raises:
        InvalidInput: something in it is no SQL value; names its place.

    Example:
        >>> parameters_to_json([1, dt.date(2024, 1, 31)])
        [1, {'$date': '2024-01-31'}]
    """
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {str(key): parameters_to_json(item, where=f"{where}.{key}") for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [parameters_to_json(item, where=f"{where}[{index}]") for index, item in enumerate(value)]
    for name, kind in _KINDS.items():
        if isinstance(value, kind):
            return {name: adapter(_travelling(kind)).dump_python(value, mode="json")}
    if callable(getattr(value, "item", None)):  # a numpy scalar
        return parameters_to_json(value.item(), where=where)
    raise InvalidInput(
        f"{where}: a {type(value).__name__} is no SQL value",
        hint="Pass numbers, text, dates, bytes, or lists of these; tables go in as DataFrames.",
        field=where,
    )


def parameters_from_json(value: Any) -> Any:
    """What ``parameters_to_json`` made JSON of.

    Example:
        >>> parameters_from_json([{"$date": "2024-01-31"}])
        [datetime.date(2024, 1, 31)]
    """
    if isinstance(value, list):
        return [parameters_from_json(item) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1 and (name := next(iter(value))) in _KINDS:
        return parse(_travelling(_KINDS[name]), value[name], subject="parameters", strict_fields=False)
    return {key: parameters_from_json(item) for key, item in value.items()}


def _travelling(kind: type) -> Any:
    from pydantic import Base64Bytes

    return Base64Bytes if kind is bytes else kind
