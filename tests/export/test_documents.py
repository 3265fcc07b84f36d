"""Descriptions as Markdown and JSON."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from vidbench.contract.describe import (
    Describe,
    DescribeConfig,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
)
from vidbench.contract.validation import parse
from vidbench.export import export

DATA = DescribeData(
    title="Wanna *work* together?",
    summary="A clip about\nlicences.",
    segment_summary=(
        SegmentSummary(title="An invitation", summary="It asks.", start_time=0, end_time=20),
        SegmentSummary(title="Later", summary="", start_time=3600, end_time=3661.5),
    ),
    speech=(
        SpeechLine(text="Wanna work together?", start_time=0.5, end_time=2, speaker="Ann"),
        SpeechLine(text="Yes.", start_time=19.99, end_time=21),
        SpeechLine(text="Between.", start_time=20, end_time=22),
    ),
    scene_text=(SceneText(text="<CC BY>", start_time=3600, end_time=3610),),
)
DESCRIBE = Describe(
    job_id="j",
    status="completed",
    url="talk.mp4",
    duration_seconds=4000.0,
    created_at=1,
    describe_config=DescribeConfig(),
    data=DATA,
)


def test_the_layout_of_markdown():
    """Title, summary, then each segment with its speech and scene text; what lies outside comes last."""
    assert export(DESCRIBE, "markdown") == (
        "# Wanna \\*work\\* together?\n\n"
        "A clip about licences.\n\n"
        "## [00:00 - 00:20] An invitation\n\n"
        "**Summary** It asks.\n\n"
        "### Speech\n\n"
        "- [00:00] Ann: Wanna work together?\n- [00:19] Yes.\n\n"
        "## [1:00:00 - 1:01:01] Later\n\n"
        "### Scene text\n\n"
        "- [1:00:00] \\<CC BY\\>\n\n"
        "## Outside the segments\n\n"
        "### Speech\n\n"
        "- [00:20] Between.\n"
    )


def test_markdown_without_segments():
    """A bare transcript has one section, and is called after its file."""
    describe = replace(DESCRIBE, data=DescribeData(speech=DATA.speech[:1]))

    assert export(describe, "markdown", filename="my_talk.mp4") == (
        "# my\\_talk.mp4\n\n## Transcript\n\n### Speech\n\n- [00:00] Ann: Wanna work together?\n"
    )


def test_markdown_of_nothing_yet():
    """A description that has found nothing yet is its title alone."""
    assert export(replace(DESCRIBE, data=None), "markdown") == "# talk.mp4\n"


@given(st.text(max_size=80))
def test_no_text_becomes_markup(text):
    """Whatever a model wrote, it adds no heading, link, list, emphasis or HTML of its own."""
    data = DescribeData(title=text, summary=text, speech=(SpeechLine(text=text, start_time=0, end_time=1),))
    lines = export(replace(DESCRIBE, data=data), "markdown").split("\n")

    assert len([one for one in lines if one.startswith("#")]) == 3
    bare = re.sub(r"\\.", "", "\n".join(lines)).replace("[00:00]", "").replace("talk.mp4", "")
    assert not re.search(r"[<>*_`\[\]&]", bare)
    assert not [one for one in lines if re.match(r"\s*([-+=]|\d+[.)])", one) and not one.startswith("- [")]


def test_json_is_the_interface_object():
    """The JSON is the describe object: it comes back equal, and absent parts are left out."""
    document = json.loads(export(DESCRIBE, "json"))

    assert parse(Describe, document) == DESCRIBE
    assert "error" not in document
    assert document["data"]["speech"][0]["speaker"] == "Ann"
    assert "Ä" in export(replace(DESCRIBE, url="Ä"), "json")
