"""The list of models that vidbench knows, read from TOML."""

from __future__ import annotations

import os
import tomllib
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

from vidbench.contract.models import ModelEntry, Role
from vidbench.contract.validation import parse
from vidbench.errors import InvalidInput, NotFound

CATALOGUE_VARIABLE = "VIDBENCH_CATALOGUE"
"""Environment variable that names a TOML file with further entries."""
TIERS = ("tiny", "small", "good")
"""The tiers of the shipped catalogue, from the least to the most able."""


def entries(tier: str | None = None) -> tuple[ModelEntry, ...]:
    """Every entry, or those of *tier*; those of the user's own catalogue come first.

    An entry of the user's catalogue takes the place of a shipped one of the same name.

    Raises:
        InvalidInput: a catalogue cannot be read; the message names the file and the field.

    Example:
        >>> [entry.name for entry in entries("tiny")]
        ['whisper-base', 'qwen2.5-coder-0.5b', 'minilm', 'rapidocr']
    """
    found = {entry.name: entry for entry in _shipped()}
    own = _own()
    rest = [entry for name, entry in found.items() if name not in {mine.name for mine in own}]
    return tuple(entry for entry in (*own, *rest) if tier in {None, entry.tier})


def entry_of(name: str) -> ModelEntry:
    """The entry called *name*.

    Raises:
        NotFound: there is none; the hint lists the names.

    Example:
        >>> entry_of("whisper-base").licence
        'MIT'
    """
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise NotFound(f"No model is called {name!r}", hint=f"Known models: {', '.join(known)}.", field="model")
    return known[name]


def first_of(tier: str, role: Role) -> ModelEntry | None:
    """What *tier* uses for *role*, if it has anything of its own.

    Example:
        >>> first_of("good", "scene_text") is None
        True
    """
    return next((entry for entry in entries(tier) if entry.role == role), None)


def tiers() -> tuple[str, ...]:
    """The names of all tiers, shipped ones first.

    Example:
        >>> tiers()[:3]
        ('tiny', 'small', 'good')
    """
    return tuple(dict.fromkeys((*TIERS, *(entry.tier for entry in entries()))))


def read(text: str, *, file: str) -> tuple[ModelEntry, ...]:
    """The entries of a catalogue in TOML: one ``[[model]]`` table each.

    Args:
        text: the TOML document.
        file: its name, for messages.

    Raises:
        InvalidInput: it is no TOML, or a field is wrong, missing or unknown.

    Example:
        >>> read("", file="empty.toml")
        ()
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise InvalidInput(f"{file} is not valid TOML: {error}", file=file) from error
    models = document.get("model", [])
    if not isinstance(models, list):
        raise InvalidInput(f"{file}: write each model as [[model]]", file=file, field="model")
    return tuple(_entry(model, f"{file}: model[{index}]") for index, model in enumerate(models))


def _entry(data: dict[str, Any], subject: str) -> ModelEntry:
    plain = {name: value for name, value in data.items() if name not in {"file", "source"}}
    entry = parse(
        ModelEntry,
        {**plain, "files": data.get("file", []), "sources": data.get("source", [])},
        subject=subject,
    )
    names = [entry.name, *(file.name for file in entry.files)]
    for name in names:
        # Names become folders and files: a catalogue must not be able to write elsewhere.
        if name in {"", ".", ".."} or Path(name).name != name or "\\" in name:
            raise InvalidInput(f"{subject}: {name!r} is not a plain name", field=f"{subject}.name")
    return entry


@lru_cache(maxsize=1)
def _shipped() -> tuple[ModelEntry, ...]:
    text = (resources.files("vidbench.models") / "catalogue.toml").read_text(encoding="utf-8")
    return read(text, file="catalogue.toml")


def _own() -> tuple[ModelEntry, ...]:
    value = os.environ.get(CATALOGUE_VARIABLE, "")
    if not value:
        return ()
    path = Path(value).expanduser()
    try:
        return _parsed(str(path), path.stat().st_mtime_ns)
    except OSError as error:
        msg = f"The catalogue {value} cannot be read: {error.strerror}"
        hint = f"Correct or unset {CATALOGUE_VARIABLE}."
        raise InvalidInput(msg, hint=hint, file=value) from error


@lru_cache(maxsize=8)
def _parsed(path: str, _modified: int) -> tuple[ModelEntry, ...]:
    return read(Path(path).read_text(encoding="utf-8"), file=path)
