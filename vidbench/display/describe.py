"""A description: what it is called and about, then its segments, speech and scene text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from vidbench.contract.clock import clock_text
from vidbench.contract.describe import (
    Describe,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
)
from vidbench.display.markup import Html, element, note, page, picture, section
from vidbench.display.wording import (
    SHOWN_ROWS,
    UNSURE_BELOW,
    count_text,
    joined,
    lines_of,
    one_line,
    percent_text,
    span_text,
    wrapped,
)

T = TypeVar("T")


def describe_html(describe: Describe, poster: bytes | None = None, filename: str = "") -> str:
    """*describe* as a card with foldable parts.

    Args:
        describe: what was found.
        poster: a JPEG of the file.
        filename: the file's name; its address where empty.
    """
    data = describe.data or DescribeData()
    name = filename or describe.url
    head = element(
        "div",
        element("h3", data.title or name),
        element("p", _facts(describe, name), class_="vb-faint"),
        element("p", data.summary) if data.summary else None,
    )
    return page(
        f"Description of {name}",
        element("div", picture(poster, f"A picture of {name}"), head, class_="vb-head"),
        note(describe.error, "bad") if describe.error else None,
        *(note(warning) for warning in describe.warnings),
        _part("Segments", data.segment_summary, _segment, opened=True),
        _part("Speech", data.speech, _speech),
        _part("Scene text", data.scene_text, _scene_text),
    )


def describe_text(describe: Describe, filename: str = "") -> str:
    """*describe* as plain text: title, summary, segments, and how much was said and read."""
    data = describe.data or DescribeData()
    name = filename or describe.url
    return lines_of(
        one_line(data.title or name),
        one_line(_facts(describe, name)),
        f"error: {one_line(describe.error)}" if describe.error else None,
        [f"warning: {one_line(warning)}" for warning in describe.warnings],
        wrapped(data.summary) if data.summary else None,
        [
            wrapped(f"[{span_text(one.start_time, one.end_time)}] {one.title}", indent=2)
            for one in data.segment_summary or ()
        ],
        _counts(data),
    )


def _facts(describe: Describe, name: str) -> str:
    return joined(name, clock_text(describe.duration_seconds), describe.status)


def _counts(data: DescribeData) -> str:
    return joined(
        None if data.speech is None else count_text(len(data.speech), "line") + " of speech",
        None if data.scene_text is None else count_text(len(data.scene_text), "scene text"),
    )


def _part(title: str, items: Sequence[T] | None, row: Callable[[T], Html], *, opened: bool = False) -> Html | None:
    """A foldable list; None where the part was not described."""
    if items is None:
        return None
    rest = len(items) - SHOWN_ROWS
    return section(
        f"{title} ({len(items)})",
        element("ul", *(row(item) for item in items[:SHOWN_ROWS]), class_="vb-lines"),
        element("p", f"and {rest} more", class_="vb-faint") if rest > 0 else None,
        opened=opened and bool(items),
    )


def _segment(segment: SegmentSummary) -> Html:
    text = element(
        "div",
        element("h4", segment.title) if segment.title else None,
        element("div", segment.summary) if segment.summary else None,
    )
    return _row(span_text(segment.start_time, segment.end_time), text)


def _speech(line: SpeechLine) -> Html:
    speaker = element("b", f"{line.speaker}: ") if line.speaker else None
    return _row(clock_text(line.start_time), element("div", speaker, _read(line.text, line.confidence)))


def _scene_text(text: SceneText) -> Html:
    return _row(span_text(text.start_time, text.end_time), element("div", _read(text.text, text.confidence)))


def _read(text: str, confidence: float) -> Html:
    """*text*, marked where the model was not sure of it."""
    sure = f"confidence {percent_text(confidence)}"
    return element("span", text, title=sure, class_="vb-unsure" if confidence < UNSURE_BELOW else None)


def _row(time: str, content: Html) -> Html:
    return element("li", element("span", time, class_="vb-time"), content)
