"""vidbench: a Jupyter-native workbench for understanding video with local models.

>>> import vidbench as vb
>>> bench = vb.open("talks")  # doctest: +SKIP
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vidbench.errors import VidbenchError
    from vidbench.handles import Answer, Chat, Collection, Description, File, Files, Job, Jobs
    from vidbench.workbench import Workbench, connect
    from vidbench.workbench import open_workbench as open  # noqa: A004 - vb.open() is what users type

__all__ = [
    "Answer",
    "Chat",
    "Collection",
    "Description",
    "File",
    "Files",
    "Job",
    "Jobs",
    "VidbenchError",
    "Workbench",
    "__version__",
    "connect",
    "open",
]

_HOME = {
    "open": ("vidbench.workbench", "open_workbench"),
    "connect": ("vidbench.workbench", "connect"),
}
_HOME |= {
    "Workbench": ("vidbench.workbench", "Workbench"),
    "VidbenchError": ("vidbench.errors", "VidbenchError"),
}


def __getattr__(name: str) -> Any:
    """Load a name when it is first used, so that the import itself costs nothing."""
    if name == "__version__":
        from importlib.metadata import version

        return version("vidbench")
    if name not in __all__:
        msg = f"module 'vidbench' has no attribute {name!r}"
        raise AttributeError(msg)
    module, attribute = _HOME.get(name, ("vidbench.handles", name))
    return getattr(import_module(module), attribute)


def __dir__() -> list[str]:
    """The names a user types."""
    return sorted(__all__)
