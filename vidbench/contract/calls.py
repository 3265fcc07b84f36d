"""The calls of ``Engine`` as data, read off the Protocol: both sides of HTTP are made from it.

Each call takes its arguments as one JSON object and answers with JSON. Bytes travel as base64 text.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, get_type_hints

from vidbench.contract.engine import Engine
from vidbench.contract.validation import adapter, parse
from vidbench.errors import InvalidInput

NOT_CALLED = frozenset({"close"})
"""What a process does to itself, and nobody asks of another."""


class OnTheWire(Protocol):
    """The calls whose arguments or answers are not JSON-like, in the types that they travel in."""

    def query(
        self,
        *,
        sql: str,
        parameters: list[Any] | dict[str, Any] | None = None,
        frames: dict[str, str] | None = None,
    ) -> str:
        """One SELECT over the friendly views; frames and the answer are Parquet as base64 text."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One method of ``Engine``.

    Attributes:
        name: the method's name.
        summary: the first line of its docstring.
        parameters: name -> type.
        required: names that have no default.
        answer: type of what it returns.
    """

    name: str
    summary: str
    parameters: dict[str, Any]
    required: frozenset[str]
    answer: Any

    def arguments_from_json(self, body: Any) -> dict[str, Any]:
        """The arguments that *body* holds, each as its own type.

        Raises:
            InvalidInput: names the argument that is missing, unknown or wrong.

        Example:
            >>> CALLS["get_file"].arguments_from_json({"name": "talk.mp4"})
            {'name': 'talk.mp4'}
        """
        if not isinstance(body, dict):
            raise InvalidInput("the body must be one JSON object", hint=self._known())
        self._refuse_wrong_names(body)
        return {name: self._parsed(name, value) for name, value in body.items()}

    def arguments_to_json(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The body that carries *arguments*; they are checked before anything is sent.

        Raises:
            InvalidInput: names the argument that is missing, unknown or wrong.
        """
        self._refuse_wrong_names(arguments)
        return {
            name: adapter(self.parameters[name]).dump_python(self._parsed(name, value), mode="json")
            for name, value in arguments.items()
        }

    def answer_to_json(self, answer: Any) -> bytes:
        """*answer* as JSON text."""
        return adapter(wire_type(self.answer)).dump_json(answer)

    def answer_from_json(self, text: bytes) -> Any:
        """The answer that JSON *text* holds."""
        return adapter(wire_type(self.answer)).validate_json(text)

    def _parsed(self, name: str, value: Any) -> Any:
        kind = self.parameters[name]
        return parse(kind, value, subject=name, strict_fields=dataclasses.is_dataclass(kind))

    def _refuse_wrong_names(self, arguments: Mapping[str, Any]) -> None:
        for name in arguments:
            if name not in self.parameters:
                raise InvalidInput(f"{name}: no such argument", hint=self._known(), field=str(name))
        for name in sorted(self.required - set(arguments)):
            raise InvalidInput(f"{name}: is missing", hint=self._known(), field=name)

    def _known(self) -> str:
        return f"Arguments of {self.name}: {', '.join(self.parameters) or 'none'}."


def wire_type(kind: Any) -> Any:
    """*kind* as it travels: bytes as base64 text (RFC 4648, 4), all else as it is."""
    from pydantic import Base64Bytes

    return Base64Bytes if kind is bytes else kind


def _calls() -> dict[str, Call]:
    names = [name for name in vars(Engine) if not name.startswith("_") and name not in NOT_CALLED]
    return {name: _call(name) for name in names}


def _call(name: str) -> Call:
    method = getattr(OnTheWire, name, None) or getattr(Engine, name)
    hints = get_type_hints(method, include_extras=True)
    answer = hints.pop("return")
    signature = inspect.signature(method).parameters
    return Call(
        name=name,
        summary=(inspect.getdoc(method) or "").splitlines()[0],
        parameters=hints,
        required=frozenset(key for key in hints if signature[key].default is inspect.Parameter.empty),
        answer=answer,
    )


CALLS = _calls()
"""Every call by name, in the Protocol's order."""
