"""A file: what the probe found in it."""

from __future__ import annotations

from fractions import Fraction

from vidbench.contract.clock import clock_text
from vidbench.contract.media import FileRecord, MediaFacts
from vidbench.display.markup import element, note, page, picture
from vidbench.display.wording import bytes_text, joined, lines_of, one_line


def file_html(record: FileRecord, poster: bytes | None = None) -> str:
    """*record* as a card with its facts.

    Args:
        record: the file.
        poster: a JPEG of it.
    """
    facts = [child for name, value in _facts(record).items() for child in (element("dt", name), element("dd", value))]
    head = element("div", element("h3", record.filename), element("dl", *facts, class_="vb-facts"))
    return page(
        f"File {record.filename}",
        element("div", picture(poster, f"A picture of {record.filename}"), head, class_="vb-head"),
        *(note(warning) for warning in record.facts.warnings),
    )


def file_text(record: FileRecord) -> str:
    """*record* as plain text: its name, then a line a fact."""
    facts = {name: one_line(value) for name, value in _facts(record).items()}
    width = max(map(len, facts))
    return lines_of(
        one_line(record.filename),
        [f"  {name:<{width}}  {value}" for name, value in facts.items()],
        [f"warning: {one_line(warning)}" for warning in record.facts.warnings],
    )


def _facts(record: FileRecord) -> dict[str, str]:
    facts = record.facts
    found = {
        "kind": joined(facts.media_type, clock_text(facts.duration_seconds), facts.container),
        "picture": _picture(facts),
        "sound": facts.audio_codec or "sound" if facts.has_audio else "none",
        "size": bytes_text(record.bytes),
        "plays in a browser": "yes" if facts.browser_playable else f"no: {facts.why_not_playable}",
        "path": record.path,
        "id": record.file_id,
    }
    return {name: value for name, value in found.items() if value}


def _picture(facts: MediaFacts) -> str:
    if facts.media_type == "audio":
        return "none"
    return joined(
        f"{facts.width} x {facts.height}",
        facts.video_codec,
        _rate(facts),
        f"turned by {facts.rotation}°" if facts.rotation else None,
    )


def _rate(facts: MediaFacts) -> str | None:
    if facts.frame_rate is None or facts.media_type == "image":
        return None
    rate = f"{float(Fraction(facts.frame_rate)):.4g} frames a second"
    return f"{rate} on average, varying" if facts.variable_frame_rate else rate
