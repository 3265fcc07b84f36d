"""Names for things: stable ids for what machines make, fresh ids for what people make, keys for work."""

from __future__ import annotations

import hashlib
import json
import os
import threading
import time
import uuid
from typing import Any

NAMESPACE = uuid.UUID("6f2c5a52-7f0e-5d0a-9f0e-76696462656e")
"""The UUIDv5 namespace of every id that vidbench derives."""

_ORDER = threading.Lock()
_last_id = 0


def stable_id(*parts: object) -> str:
    """The UUIDv5 of *parts*: the same parts give the same id in every workspace (RFC 9562, 5.5).

    Example:
        >>> stable_id("run", "speech", 0) == stable_id("run", "speech", 0)
        True
    """
    return str(uuid.uuid5(NAMESPACE, "/".join(str(part) for part in parts)))


def fresh_id() -> str:
    """A UUIDv7: unique, and of one process each greater than the one before (RFC 9562, 5.7 and 6.2).

    Example:
        >>> fresh_id() < fresh_id()
        True
    """
    global _last_id  # noqa: PLW0603 - order within a process needs the last one
    value = (time.time_ns() // 1_000_000 & (1 << 48) - 1) << 80 | int.from_bytes(os.urandom(10))
    value = value & ~(0xF << 76) | 0x7 << 76
    value = value & ~(0x3 << 62) | 0x2 << 62
    with _ORDER:
        _last_id = max(value, _last_id + 1)
        return str(uuid.UUID(int=_last_id))


def now_ms() -> int:
    """The time now, in Unix milliseconds."""
    return time.time_ns() // 1_000_000


def canonical(value: Any) -> str:
    """*value* as JSON with sorted keys and no blanks, so that equal values give equal text.

    Example:
        >>> canonical({"b": 1, "a": [1.0, None]})
        '{"a":[1.0,null],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def digest(value: Any) -> str:
    """The SHA-256, in hex, of *value*'s canonical JSON.

    Example:
        >>> digest({"a": 1}) == digest({"a": 1})
        True
    """
    return hashlib.sha256(canonical(value).encode()).hexdigest()
