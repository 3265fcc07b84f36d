"""What a notebook shows: widgets over the handles of ``vidbench``.

``JobProgress`` follows a job without blocking the kernel, and cancels it on a click.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vidbench_widgets.progress import JobProgress

__all__ = ["JobProgress"]


def __getattr__(name: str) -> Any:
    """Load ipywidgets when a widget is first asked for."""
    if name not in __all__:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from vidbench_widgets import progress

    return getattr(progress, name)
