"""Which model plays a role, and where its files are."""

from __future__ import annotations

import os
from collections.abc import Callable

from vidbench.contract.models import ModelEntry, ModelSpec, ModelStatus, Role
from vidbench.errors import InvalidInput, MissingExtra, MissingModel
from vidbench.models import catalogue
from vidbench.models.folder import folder_of, is_whole, manifest_of, recorded
from vidbench.models.sources import EXTRAS, package_version

TIER_VARIABLE = "VIDBENCH_TIER"
"""Environment variable that names the tier to use."""


def choose(role: Role, *, name: str | None = None, tier: str | None = None) -> ModelEntry:
    """The model for *role*: the one named, else the tier's, else the best that is here, else the tiny one.

    A tier that has nothing of its own for a role uses the next lower tier's.

    Args:
        role: the part to play.
        name: a catalogue name; wins over everything.
        tier: a tier; ``$VIDBENCH_TIER`` where it is not given.

    Raises:
        NotFound: no model has that name.
        InvalidInput: the named model plays another role, there is no such tier, or nothing plays the role.

    Example:
        >>> choose("speech", name="whisper-base").engine
        'faster-whisper'
    """
    if name:
        return _named(role, name)
    tier = tier or os.environ.get(TIER_VARIABLE) or None
    if tier and tier not in catalogue.tiers():
        hint = f"Known tiers: {', '.join(catalogue.tiers())}."
        raise InvalidInput(f"No tier is called {tier!r}", hint=hint, field="tier")
    if tier and (found := catalogue.first_of(tier, role)):
        return found
    return _best(
        role,
        catalogue.TIERS[: catalogue.TIERS.index(tier)] if tier in catalogue.TIERS else catalogue.TIERS,
    )


def resolve(entry: ModelEntry, *, pulling: Callable[[], object] | None = None) -> ModelSpec:
    """What a worker is told about *entry*: its folder and the checksum of what lies there.

    Args:
        entry: the model.
        pulling: called to get its files where they are missing, usually ``pull`` with a progress.

    Raises:
        MissingModel: its files are not here; the hint says how to get them.
        MissingExtra: the library that carries it is not installed.

    Example:
        >>> resolve(choose("scene_text", name="rapidocr")).path
        ''
    """
    if package_version(entry) == "":
        raise MissingExtra.of(entry.sources[0].repository, EXTRAS[entry.role])
    if pulling and not is_whole(entry):
        pulling()
    if not is_whole(entry):
        msg = f"The model {entry.name} ({entry.role}) is not on this machine"
        raise MissingModel(msg, hint=f"Run: vidbench models pull {entry.name}", field="model")
    return ModelSpec(
        name=entry.name,
        role=entry.role,
        engine=entry.engine,
        path=str(folder_of(entry)) if entry.files else "",
        checksum=checksum_of(entry),
        context=entry.context,
        options=entry.options,
    )


def checksum_of(entry: ModelEntry) -> str:
    """What stands for *entry* in keys and provenance, present or not.

    The SHA-256 of its largest file, as recorded where the catalogue leaves it open; library and version for
    a model inside a library; the name of a model without files.

    Example:
        >>> checksum_of(choose("scene_text", name="rapidocr"))[:10]
        'rapidocr=='
    """
    version = package_version(entry)
    return f"{entry.sources[0].repository}=={version}" if version else recorded(entry).checksum


def is_present(entry: ModelEntry) -> bool:
    """Whether *entry* could be used at once.

    Example:
        >>> is_present(choose("scene_text", name="rapidocr"))
        True
    """
    return package_version(entry) != "" and is_whole(entry)


def statuses() -> tuple[ModelStatus, ...]:
    """Every catalogue entry, and whether its files are here and where they came from."""
    return tuple(
        ModelStatus(
            entry=recorded(entry),
            present=is_present(entry),
            path=str(folder_of(entry)) if entry.files else "",
            source=manifest_of(entry).get("source", "") if entry.files else _carried_by(entry),
        )
        for entry in catalogue.entries()
    )


def _carried_by(entry: ModelEntry) -> str:
    version = package_version(entry)
    return f"{entry.sources[0].repository} {version}" if version else ""


def _named(role: Role, name: str) -> ModelEntry:
    entry = catalogue.entry_of(name)
    if entry.role != role:
        fitting = ", ".join(other.name for other in catalogue.entries() if other.role == role)
        msg = f"{name} is a model for {entry.role}, not for {role}"
        raise InvalidInput(msg, hint=f"Models for {role}: {fitting}.", field="model")
    return entry


def _best(role: Role, allowed: tuple[str, ...]) -> ModelEntry:
    fitting = [entry for tier in reversed(allowed) for entry in catalogue.entries(tier) if entry.role == role]
    present = next(filter(is_present, fitting), None)
    lowest = catalogue.first_of(catalogue.TIERS[0], role)
    if not (chosen := present or lowest):
        raise InvalidInput(f"The catalogue has no model for {role}", field="role")
    return chosen
