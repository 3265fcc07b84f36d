"""HTML that is escaped by construction: what is not ``Html`` already becomes text."""

from __future__ import annotations

from base64 import b64encode
from functools import lru_cache
from html import escape
from importlib import resources
from string import Template

_EMPTY = frozenset({"img"})


class Html(str):
    """Text that is HTML already; only ``element`` and ``picture`` make it."""

    __slots__ = ()


def element(tag: str, *children: str | None, **attributes: str | None) -> Html:
    """An element with escaped attributes and escaped text.

    Args:
        tag: its name.
        children: text, which is escaped, or ``Html``; None is left out.
        attributes: by name; ``class_`` is class, and None is left out.

    Example:
        >>> element("p", "a < b", element("b", "c"), class_="vb-note")
        '<p class="vb-note">a &lt; b<b>c</b></p>'
    """
    named = ((name.rstrip("_").replace("_", "-"), value) for name, value in attributes.items())
    head = "".join(f' {name}="{escape(value)}"' for name, value in named if value is not None)
    if tag in _EMPTY:
        return Html(f"<{tag}{head}>")
    inner = "".join(child if isinstance(child, Html) else escape(child) for child in children if child is not None)
    return Html(f"<{tag}{head}>{inner}</{tag}>")


def picture(jpeg: bytes | None, alternative: str) -> Html | None:
    """A JPEG inside the page itself, so that a saved notebook still shows it."""
    if not jpeg:
        return None
    source = "data:image/jpeg;base64," + b64encode(jpeg).decode()
    return element("img", src=source, alt=alternative, class_="vb-picture")


def badge(text: str, tone: str = "") -> Html:
    """A short word in a frame; *tone* is good, bad, busy or empty."""
    return element("span", text, class_=f"vb-badge vb-{tone}" if tone else "vb-badge")


def note(text: str, tone: str = "warning") -> Html:
    """A line that must not be overlooked; *tone* is warning or bad."""
    return element("p", text, class_=f"vb-note vb-{tone}", role="note")


def section(title: str, *children: str | None, opened: bool = False) -> Html:
    """A part that can be folded away."""
    summary = element("summary", title)
    return element("details", summary, *children, class_="vb-section", open="" if opened else None)


def page(label: str, *children: str | None) -> str:
    """*children* in the frame that carries the style.

    Args:
        label: what it is, for screen readers.
        children: the content.
    """
    body = element("div", *children, class_="vb", role="group", aria_label=label)
    return _frame().substitute(style=_style(), body=body)


@lru_cache(maxsize=1)
def _frame() -> Template:
    return Template(_static("frame.html"))


@lru_cache(maxsize=1)
def _style() -> str:
    return _static("style.css")


def _static(name: str) -> str:
    return (resources.files("vidbench.display") / "static" / name).read_text(encoding="utf-8")
