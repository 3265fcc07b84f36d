"""The models that one worker process has in memory."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from typing import Any, Protocol

from vidbench.contract.models import ModelSpec, Role
from vidbench.errors import MissingExtra, MissingModel
from vidbench.models.sources import EXTRAS

GROUP = "vidbench."
"""Entry-point group of a role's implementations: ``vidbench.speech`` ..."""


class Model(Protocol):
    """What every implementation of a role can do besides its own work."""

    def close(self) -> None:
        """Free the memory; the next use loads the model again."""
        ...


class Residency:
    """Models by role: made when first asked for, kept while spec and threads stay the same.

    Args:
        specs: role -> model.
        threads: cores that each may use.

    Example:
        >>> residency = Residency()
        >>> residency.update({}, threads=2)
        >>> residency.close()
    """

    def __init__(self, specs: Mapping[Role, ModelSpec] | None = None, threads: int = 1) -> None:
        self._specs: dict[Role, ModelSpec] = dict(specs or {})
        self._threads = threads
        self._loaded: dict[Role, tuple[ModelSpec, int, Model]] = {}

    def update(self, specs: Mapping[Any, ModelSpec], threads: int) -> None:
        """Say what the next unit uses; a loaded model that it wants otherwise is closed.

        A model that it does not want stays, because the unit after it may.
        """
        self._specs = dict(specs)
        self._threads = threads
        for role, spec in self._specs.items():
            loaded = self._loaded.get(role)
            if loaded and loaded[:2] != (spec, threads):
                self._close(role)

    def get(self, role: Role) -> Any:
        """The model that plays *role*.

        Raises:
            MissingModel: the unit names no model for it, or no installed engine can run that model.
            MissingExtra: the engine's library is not installed.
        """
        if role not in self._specs:
            raise MissingModel(f"This work was given no model for {role}", field=role)
        if role not in self._loaded:
            spec = self._specs[role]
            self._loaded[role] = (spec, self._threads, _built(spec, self._threads))
        return self._loaded[role][2]

    def close(self) -> None:
        """Close every model."""
        for role in tuple(self._loaded):
            self._close(role)

    def _close(self, role: Role) -> None:
        self._loaded.pop(role)[2].close()


def _built(spec: ModelSpec, threads: int) -> Model:
    engines = {point.name: point for point in metadata.entry_points(group=GROUP + spec.role)}
    if spec.engine not in engines:
        known = ", ".join(sorted(engines)) or "none"
        msg = f"No engine called {spec.engine!r} for {spec.role} is installed (available: {known})"
        raise MissingModel(msg, hint=f"Choose a model for one of: {known}.", field=spec.role)
    try:
        factory = engines[spec.engine].load()
    except ImportError as error:
        raise MissingExtra.of(error.name or spec.engine, EXTRAS[spec.role]) from error
    model: Model = factory(spec, threads)
    return model
