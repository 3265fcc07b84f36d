"""Segments as a strip of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vidbench.contract.segmentation import Segment
from vidbench.display.markup import Html, element, page, picture
from vidbench.display.wording import SHOWN_ROWS, count_text, lines_of, span_text


def segments_html(segments: Sequence[Segment], thumbnails: Mapping[str, bytes] | None = None) -> str:
    """Each segment with its picture and times.

    Args:
        segments: in order of time.
        thumbnails: segment id -> JPEG; a blank stands where there is none.
    """
    pictures = thumbnails or {}
    cards = (_card(segment, pictures.get(segment.id)) for segment in segments[:SHOWN_ROWS])
    return page(
        "Segments",
        element("p", _count(segments), class_="vb-faint"),
        element("div", *cards, class_="vb-cards"),
    )


def segments_text(segments: Sequence[Segment]) -> str:
    """Each segment's times and length as plain text."""
    lines = (
        f"  [{span_text(one.start_time, one.end_time)}] {one.end_time - one.start_time:.2f} s"
        for one in segments[:SHOWN_ROWS]
    )
    return lines_of(_count(segments), lines)


def _card(segment: Segment, jpeg: bytes | None) -> Html:
    span = span_text(segment.start_time, segment.end_time)
    shown = picture(jpeg, f"A picture from {span}") or element("span", class_="vb-blank")
    length = element("span", f" {segment.end_time - segment.start_time:.2f} s", class_="vb-faint")
    return element("figure", shown, element("figcaption", element("span", span, class_="vb-time"), length))


def _count(segments: Sequence[Segment]) -> str:
    count = count_text(len(segments), "segment")
    return f"the first {SHOWN_ROWS} of {count}" if len(segments) > SHOWN_ROWS else count
