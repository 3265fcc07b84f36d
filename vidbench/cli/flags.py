"""Command line flags made from config dataclasses: a new field is a new flag.

Name, type, choices and default come from the field, the help from the ``Attributes`` of the docstring. Configs within
configs are flattened: ``segmentation_config.uniform_config.window_seconds`` is ``--window-seconds``.
"""

from __future__ import annotations

import argparse
import dataclasses
import re
import types
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from vidbench.contract.segmentation import Strategy
from vidbench.errors import InvalidInput

PREFIX = "config."
"""What the names of config values start with in the parsed arguments."""

_STRATEGY_OF = {name.replace("-", "_") + "_config": name for name in typing.get_args(Strategy)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """One field of a config as a flag.

    Attributes:
        path: names of the fields that lead to it, outermost first.
        kind: bool, int, float, str or a ``Literal`` of str.
        default: what the field holds where nothing is said.
        help: its line of the docstring.
    """

    path: tuple[str, ...]
    kind: Any
    default: Any
    help: str

    @property
    def option(self) -> str:
        """The flag as it is typed.

        Example:
            >>> Flag(path=("uniform_config", "hop_seconds"), kind=float, default=None, help="").option
            '--hop-seconds'
        """
        return "--" + self.path[-1].replace("_", "-")


def flags_of(config: type, path: tuple[str, ...] = ()) -> Iterator[Flag]:
    """The flags of dataclass *config*, those of the configs within it included.

    Example:
        >>> from vidbench.contract.segmentation import UniformConfig
        >>> [flag.option for flag in flags_of(UniformConfig)]
        ['--window-seconds', '--hop-seconds']
    """
    hints = typing.get_type_hints(config, include_extras=True)
    described = _attributes(config.__doc__ or "")
    for field in dataclasses.fields(config):
        kind = _bare(hints[field.name])
        here = (*path, field.name)
        if dataclasses.is_dataclass(kind) and isinstance(kind, type):
            yield from flags_of(kind, here)
        elif kind in {bool, int, float, str} or typing.get_origin(kind) is Literal:
            yield Flag(path=here, kind=kind, default=field.default, help=described.get(field.name, ""))


def add_flags(parser: argparse.ArgumentParser, config: type) -> None:
    """Give *parser* a flag for every field of *config*."""
    for flag in flags_of(config):
        text = flag.help.replace("%", "%%")
        if flag.default is not None:
            text = f"{text} (default: {_spoken(flag.default)})"
        parser.add_argument(
            flag.option, dest=PREFIX + ".".join(flag.path), default=argparse.SUPPRESS, help=text, **_shape(flag)
        )


def config_from(arguments: argparse.Namespace) -> dict[str, Any]:
    """The config that the flags in *arguments* say, nested as the dataclass is; what was not said is left out.

    Naming a field of a strategy chooses that strategy.

    Raises:
        InvalidInput: fields of two strategies were named.
    """
    config: dict[str, Any] = {}
    for name, value in vars(arguments).items():
        if name.startswith(PREFIX):
            *parents, leaf = name.removeprefix(PREFIX).split(".")
            place = config
            for parent in parents:
                place = place.setdefault(parent, {})
            place[leaf] = value
    _choose_strategy(config)
    _choose_strategy(config.get("segmentation_config", {}))
    return config


def _choose_strategy(config: dict[str, Any]) -> None:
    """Set the strategy that the nested config of *config* belongs to."""
    told = [name for name in _STRATEGY_OF if name in config]
    if not told:
        return
    named = config.setdefault("strategy", _STRATEGY_OF[told[0]])
    for name in told:
        if _STRATEGY_OF[name] != named:
            flags = ", ".join("--" + field.replace("_", "-") for field in config[name])
            raise InvalidInput(
                f"{flags} belongs to the strategy {_STRATEGY_OF[name]}, and {named} was chosen",
                hint="Give the flags of one strategy.",
                field="strategy",
            )


def _bare(hint: Any) -> Any:
    """*hint* without ``| None`` and ``Annotated``."""
    if typing.get_origin(hint) in {typing.Union, types.UnionType}:
        (hint,) = [part for part in typing.get_args(hint) if part is not type(None)]
    return typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint


def _shape(flag: Flag) -> dict[str, Any]:
    """What argparse is told about the value of *flag*."""
    if flag.kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if typing.get_origin(flag.kind) is Literal:
        return {"choices": typing.get_args(flag.kind)}
    return {"type": flag.kind, "metavar": {int: "N", float: "X", str: "TEXT"}[flag.kind]}


def _spoken(default: Any) -> str:
    return {True: "yes", False: "no"}[default] if isinstance(default, bool) else f"{default}"


def _attributes(docstring: str) -> dict[str, str]:
    """Field -> its description, from the ``Attributes`` section of a Google docstring."""
    _, _, section = docstring.partition("Attributes:\n")
    entries = re.findall(r"^ {8}(\w+): (.+(?:\n {12}.+)*)", section, flags=re.MULTILINE)
    return {name: " ".join(text.replace("*", "").split()).rstrip(".") for name, text in entries}
