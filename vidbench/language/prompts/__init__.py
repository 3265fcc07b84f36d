"""The fixed beginnings of prompts, one file a purpose; their hash is part of a stage's key."""

from __future__ import annotations

from functools import lru_cache
from importlib import resources


@lru_cache
def prompt(name: str) -> str:
    """The text of prompt file *name*.

    Example:
        >>> prompt("answer").startswith("You answer questions")
        True
    """
    return (resources.files(__name__) / f"{name}.md").read_text(encoding="utf-8").strip()
