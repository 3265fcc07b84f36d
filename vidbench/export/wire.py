"""A description as the interface's own JSON object."""

from __future__ import annotations

import json

from vidbench.contract.describe import Describe
from vidbench.contract.validation import to_wire


def write(describe: Describe, *, filename: str = "") -> str:  # noqa: ARG001 - the object has no place for it
    """The describe object as JSON text; fields that are None are left out."""
    return json.dumps(to_wire(describe), indent=2, ensure_ascii=False) + "\n"
