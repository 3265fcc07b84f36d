"""A description as Markdown: title, summary, then what is said and shown in each segment."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidbench.contract.clock import clock_text
from vidbench.contract.describe import (
    Describe,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
)


def write(describe: Describe, *, filename: str = "") -> str:
    """The description as CommonMark; parts that were not described are left out.

    Example:
        >>> print(write(describe, filename="talk.mp4"))  # doctest: +SKIP
        # Working together
        <BLANKLINE>
        ## [00:00 - 00:20] An invitation
    """
    data = describe.data or DescribeData()
    speech, scene_text = data.speech or (), data.scene_text or ()
    parts = [f"# {_plain(data.title or filename or describe.url)}"]
    parts += [_plain(data.summary)] if data.summary else []
    for segment in data.segment_summary or ():
        span = f"[{clock_text(segment.start_time)} - {clock_text(segment.end_time)}]"
        parts.append(f"## {span} {_plain(segment.title)}".rstrip())
        parts += [f"**Summary** {_plain(segment.summary)}"] if segment.summary else []
        parts += _senses(
            [line for line in speech if _within(line, segment)],
            [text for text in scene_text if _within(text, segment)],
        )
    parts += _rest(data, speech, scene_text)
    return "\n\n".join(parts) + "\n"


def _rest(data: DescribeData, speech: Sequence[SpeechLine], scene_text: Sequence[SceneText]) -> list[str]:
    """What lies in no segment: everything, where there are none."""
    segments = data.segment_summary or ()
    found = _senses(
        [line for line in speech if not any(_within(line, segment) for segment in segments)],
        [text for text in scene_text if not any(_within(text, segment) for segment in segments)],
    )
    return ["## Outside the segments" if segments else "## Transcript", *found] if found else []


def _within(item: SpeechLine | SceneText, segment: SegmentSummary) -> bool:
    return segment.start_time <= item.start_time < segment.end_time


def _senses(speech: Sequence[SpeechLine], scene_text: Sequence[SceneText]) -> list[str]:
    parts = []
    if speech:
        lines = (
            _line(line.start_time, f"{line.speaker}: {line.text}" if line.speaker else line.text) for line in speech
        )
        parts += ["### Speech", "\n".join(lines)]
    if scene_text:
        parts += [
            "### Scene text",
            "\n".join(_line(text.start_time, text.text) for text in scene_text),
        ]
    return parts


def _line(seconds: float, text: str) -> str:
    return f"- [{clock_text(seconds)}] {_plain(text)}"


def _plain(text: str) -> str:
    """*text* on one line, with nothing in it that Markdown or HTML would act on."""
    line = re.sub(r"([\\`*_\[\]<>&|~])", r"\\\1", " ".join(text.split()))
    return re.sub(r"^(#|[-+=]|\d+[.)])", lambda found: found[0][:-1] + "\\" + found[0][-1], line)
