"""Models: which there are, where they come from, whether they are here, and which are in memory.

Importing this package loads the standard library only; each name is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vidbench.models.catalogue import entries, entry_of
    from vidbench.models.choosing import checksum_of, choose, is_present, resolve, statuses
    from vidbench.models.doctor import Check, examine
    from vidbench.models.folder import models_folder, verify
    from vidbench.models.residency import Residency
    from vidbench.models.sources import pull, pull_tier

__all__ = [
    "Check",
    "Residency",
    "checksum_of",
    "choose",
    "entries",
    "entry_of",
    "examine",
    "is_present",
    "models_folder",
    "pull",
    "pull_tier",
    "resolve",
    "statuses",
    "verify",
]

_HOMES = {
    "Check": "doctor",
    "Residency": "residency",
    "checksum_of": "choosing",
    "choose": "choosing",
    "entries": "catalogue",
    "entry_of": "catalogue",
    "examine": "doctor",
    "is_present": "choosing",
    "models_folder": "folder",
    "pull": "sources",
    "pull_tier": "sources",
    "resolve": "choosing",
    "statuses": "choosing",
    "verify": "folder",
}


def __getattr__(name: str) -> Any:
    """Load the module that holds *name* on its first use."""
    if name not in _HOMES:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
