"""Shipped for those who write plug-ins, and for ourselves: deterministic fakes of every model role.

Nothing is proven by a fake alone; they make queues, checkpoints and views testable in seconds. Point
``VIDBENCH_CATALOGUE`` to ``fake_catalogue()`` and set ``VIDBENCH_TIER=fake`` to use them.
"""

from __future__ import annotations

from importlib import resources
from pathlib import Path


def fake_catalogue() -> Path:
    """The catalogue of the fakes, for ``VIDBENCH_CATALOGUE``.

    Example:
        >>> fake_catalogue().name
        'fakes.toml'
    """
    return Path(str(resources.files("vidbench.testing") / "fakes.toml"))
