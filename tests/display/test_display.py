"""What results look like: everything is escaped, everything of weight is visible, in HTML and in text."""

from __future__ import annotations

import base64
import subprocess
import sys
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench import display
from vidbench.contract.chat import (
    ChatCompletion,
    ChatPayload,
    Choice,
    Citation,
    Claim,
    Message,
    SourceText,
    Usage,
)
from vidbench.contract.describe import (
    Describe,
    DescribeConfig,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
)
from vidbench.contract.jobs import JobRecord, StageReport
from vidbench.contract.media import FileRecord, MediaFacts
from vidbench.contract.segmentation import Segment
from vidbench.contract.states import State

HOSTILE = "<script>alert('x')</script><img src=x onerror=\"y\">&amp;\x1b[31m\u202eevil"
JPEG = b"\xff\xd8\xff\xe0picture"


class Page(HTMLParser):
    """The elements and the text of a page; unbalanced ones are an error."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self._open: list[str] = []
        self.feed(html)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "img":
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.texts.append(data)

    @property
    def text(self) -> str:
        """All of the page's text, with single blanks."""
        return " ".join(" ".join(self.texts).split())

    def all(self, tag: str, kind: str = "") -> list[dict[str, str | None]]:
        """Attributes of each *tag*, with the class *kind* if one is asked for."""
        return [found for name, found in self.tags if name == tag and kind in (found.get("class") or "")]


def file(text: str = "talk.mp4", **changes: Any) -> FileRecord:
    facts = MediaFacts(
        media_type="video", container="mp4", duration_seconds=3725.5, origin="0", video_index=0,
        audio_index=1, width=480, height=360, rotation=90, pixel_aspect="1", frame_rate="30000/1001",
        variable_frame_rate=True, has_audio=True, video_codec="h264", audio_codec="aac",
        audio_offset=0.0, browser_playable=False, why_not_playable=text, streams=(), warnings=(text,),
    )  # fmt: skip
    return FileRecord(
        file_id="f1", fingerprint="ab", filename=text, path=f"/talks/{text}", bytes=12_345_678,
        created_at=1, facts=replace(facts, **changes),
    )  # fmt: skip


def describe(text: str = "said", **changes: Any) -> Describe:
    data = DescribeData(
        title=text,
        summary=text,
        segment_summary=(SegmentSummary(title=text, summary=text, start_time=0, end_time=20),),
        speech=(SpeechLine(text=text, start_time=1, end_time=2, speaker=text, confidence=0.2),),
        scene_text=(SceneText(text=text, start_time=3600, end_time=3661, confidence=0.9),),
    )
    whole = Describe(
        job_id="j", status="completed", url=text, duration_seconds=65, created_at=1,
        describe_config=DescribeConfig(), data=data, error=text, warnings=(text,),
    )  # fmt: skip
    return replace(whole, **changes)


def job(text: str = "talk.mp4", **changes: Any) -> JobRecord:
    stages = (
        StageReport(name="scan", run_id="1", state=State.COMPLETED, reused=True),
        StageReport(name="speech", run_id="2", state=State.RUNNING, progress=0.25),
        StageReport(name="summary", run_id="3", state=State.COMPLETED, seconds=12.34),
    )
    record = JobRecord(
        job_id="j", operation="describe", subject_id="f", subject_name=text, config={}, key="k",
        state=State.RUNNING, attempt=2, created_at=1, progress=1 / 3, stage="speech", eta_seconds=12.4,
        error=text, hint=text, stages=stages,
    )  # fmt: skip
    return replace(record, **changes)


def chat(text: str = "work together", **changes: Any) -> ChatCompletion:
    citation = Citation(
        collection_id="c", file_id="f1", segment_id="s", start_time="65.25", end_time="67.00", text=text,
        context=f"Wanna {text}?", relevant_sources=(SourceText(text="Yes."),),
    )  # fmt: skip
    completion = ChatCompletion(
        id="h", created_at=1, model="nimbus-001",
        choices=(Choice(index=0, message=Message(content=f"Yes: {text}."), citations=(citation,)),),
        payload=ChatPayload(messages=(Message(content=f"Who {text}?"),), collections=("c",)),
        usage=Usage(prompt_tokens=30, completion_tokens=4, total_tokens=34),
        claims=(Claim(text="Yes."), Claim(text=f"Doubtful {text}.", supported=False)),
    )  # fmt: skip
    return replace(completion, **changes)


def pages(text: str) -> dict[str, str]:
    """Each kind of page with *text* wherever text from outside goes."""
    return {
        "describe": display.describe_html(describe(text), JPEG, text),
        "file": display.file_html(file(text), JPEG),
        "job": display.job_html(job(text)),
        "chat": display.chat_html(chat(text), {"f1": text}),
        "table": display.table_html([text], [[text], [[text]], [{text: text}]], text),
        "segments": display.segments_html([Segment(id=text, start_time=0, end_time=1)], {text: JPEG}),
    }


def texts(text: str) -> dict[str, str]:
    """The plain-text twin of each kind of page."""
    return {
        "describe": display.describe_text(describe(text), text),
        "file": display.file_text(file(text)),
        "job": display.job_text(job(text)),
        "chat": display.chat_text(chat(text), {"f1": text}),
        "table": display.table_text([text], [[text], [[text]]], text),
        "segments": display.segments_text([Segment(id=text, start_time=0, end_time=1)]),
    }


KINDS = sorted(pages(""))


@pytest.mark.parametrize("kind", KINDS)
def test_hostile_text_stays_text(kind):
    """Markup in names, speech or answers is shown as it is written, and makes no element or attribute."""
    hostile, harmless = Page(pages(HOSTILE)[kind]), Page(pages("harmless")[kind])

    assert [tag for tag, _ in hostile.tags] == [tag for tag, _ in harmless.tags]
    assert [sorted(attributes) for _, attributes in hostile.tags] == [
        sorted(attributes) for _, attributes in harmless.tags
    ]
    assert "script" not in {tag for tag, _ in hostile.tags}
    assert kind == "segments" or "<script>alert('x')</script>" in hostile.text


@given(st.text(max_size=60))
def test_any_text_gives_whole_pages(text):
    """Every page is balanced HTML, and every twin is text without control characters, whatever it shows."""
    for html in pages(text).values():
        Page(html)
    for plain in texts(text).values():
        assert not [one for one in plain if (ord(one) < 32 and one != "\n") or 127 <= ord(one) < 160]


@pytest.mark.parametrize("kind", KINDS)
def test_terminals_are_not_steered(kind):
    """Escape sequences and marks of writing direction never reach a terminal."""
    plain = texts(HOSTILE)[kind]

    assert "\x1b" not in plain
    assert "\u202e" not in plain


@pytest.mark.parametrize("kind", KINDS)
def test_pages_stand_alone(kind):
    """A page carries its style, loads nothing from anywhere, runs nothing, and says what it is."""
    html = pages("x")[kind]
    page = Page(html)
    sources = [found["src"] for found in page.all("img")]

    assert html.startswith("<style>")
    assert "--jp-" in html
    assert "prefers-color-scheme: dark" in html
    assert not [word for word in ("http:", "https:", "@import", "url(", "<script", "<link") if word in html]
    assert all(source.startswith("data:image/jpeg;base64,") for source in sources)
    assert page.all("div", "vb")[0]["aria-label"]
    assert all(found["alt"] for found in page.all("img"))


def test_pictures_are_the_bytes_given():
    """The poster is inline, byte for byte; without one there is no picture."""
    (shown,) = Page(display.file_html(file(), JPEG)).all("img")

    assert base64.b64decode(shown["src"].split(",")[1]) == JPEG
    assert Page(display.file_html(file())).all("img") == []


def test_a_description_shows_its_parts():
    """Title, summary, segments, speech and scene text with times; what is unsure is marked."""
    page = Page(display.describe_html(describe("said", warnings=("speech model missing",), error=None)))

    for part in ["01:05", "completed", "Segments (1)", "00:00 - 00:20", "Speech (1)", "00:01", "Scene text (1)",
                 "1:00:00 - 1:01:01", "speech model missing"]:  # fmt: skip
        assert part in page.text
    assert [found["title"] for found in page.all("span", "vb-unsure")] == ["confidence 20 %"]
    assert ["open" in found for found in page.all("details")] == [True, False, False]


def test_a_description_leaves_out_what_was_not_asked_for():
    """Parts that are None are absent; parts that were looked for and are empty say zero."""
    data = DescribeData(speech=())
    page = Page(display.describe_html(describe(data=data, error=None, warnings=()), None, "a.mp4"))

    assert "Speech (0)" in page.text
    assert "Segments" not in page.text
    assert page.all("h3")
    assert "0 lines of speech" in display.describe_text(describe(data=data))
    assert Page(display.describe_html(describe(data=None))).all("details") == []


def test_long_transcripts_are_cut_and_counted():
    """Of a long transcript the first lines are shown, and the rest is counted."""
    lines = tuple(SpeechLine(text=f"line {i}", start_time=i, end_time=i + 1) for i in range(1000))
    page = Page(display.describe_html(describe(data=DescribeData(speech=lines))))

    assert len(page.all("li")) == 200
    assert "and 800 more" in page.text


def test_a_file_shows_its_facts():
    """Size after rotation, rate, codecs, and why a browser cannot play it."""
    shown = Page(display.file_html(file(why_not_playable="codec hevc"))).text

    for fact in ["480 x 360", "h264", "29.97 frames a second on average, varying", "turned by 90°", "aac", "12.3 MB",
                 "1:02:05", "no: codec hevc"]:  # fmt: skip
        assert fact in shown
        assert fact in display.file_text(file(why_not_playable="codec hevc"))


def test_a_sound_file_has_no_picture():
    """A file without pictures says so, instead of 0 x 0."""
    sound = file(media_type="audio", width=0, height=0, frame_rate=None, video_codec="")

    assert "0 x 0" not in display.file_text(sound)
    assert "picture" in display.file_text(sound)


def test_a_running_job():
    """State, share, stage, time left, attempt, and a bar for the stage at work."""
    page, plain = Page(display.job_html(job())), display.job_text(job())

    for fact in [
        "describe talk.mp4",
        "running",
        "33 %",
        "speech",
        "about 12 s left",
        "attempt 2",
        "reused",
        "12.3 s",
    ]:
        assert fact in page.text
        assert fact in plain
    assert [found["value"] for found in page.all("progress")] == ["0.333", "0.250"]


def test_a_failed_job():
    """A failure shows its message and remedy, and no bar."""
    failed = job(state=State.FAILED, error="No model.", hint="Run: vidbench models pull", stages=())
    page = Page(display.job_html(failed))

    assert "No model. Run: vidbench models pull" in page.text
    assert page.all("progress") == []
    assert "No model. Run: vidbench models pull" in display.job_text(failed)
    assert "not applicable" in display.job_text(job(state=State.NOT_APPLICABLE))


def test_an_answer_shows_its_evidence():
    """Question, answer, and each citation with time, file and the very words marked in their line."""
    page, plain = (
        Page(display.chat_html(chat(), {"f1": "talk.mp4"})),
        display.chat_text(chat(), {"f1": "talk.mp4"}),
    )

    for fact in ["Yes: work together.", "01:05 - 01:07", "talk.mp4", "Doubtful work together."]:
        assert fact in page.text
        assert fact in plain
    assert "Who work together?" in page.text
    assert "Wanna work together ?" in page.text
    assert len(page.all("mark")) == 1
    assert "read 30 tokens and wrote 4" in page.text
    assert "f1" in display.chat_text(chat())


def test_a_quote_that_is_not_in_its_line_is_shown_alone():
    """A citation whose words are not in its context shows the words, and no context that is not theirs."""
    citation = replace(chat().choices[0].citations[0], context="Something else.")
    choice = replace(chat().choices[0], citations=(citation,))

    page = Page(display.chat_html(chat(choices=(choice,))))

    assert "Something else" not in page.text
    assert len(page.all("mark")) == 1


def test_a_refusal_says_so():
    """An answer that is not in these videos is marked, and has no list of citations."""
    choice = Choice(index=0, message=Message(content="The answer is not in these videos."))
    page = Page(display.chat_html(chat(choices=(choice,), answered=False, claims=())))

    assert "not in these videos" in page.text
    assert page.all("span", "vb-badge")
    assert page.all("ol") == []


VALUES = [None, float("nan"), pd.NA, pd.NaT, 1, 0.1 + 0.2, True, b"\x00" * 3, np.float64(2), np.array([1, 2]),
          [1, 2], [{"a": 1}], "x" * 1000, pd.Timestamp("2024-01-31"), {"a": None}]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=[str(number) for number in range(len(VALUES))])
def test_any_value_can_be_shown(value):
    """A table shows every kind of value that a query or a row can hold."""
    for shown in (
        Page(display.table_html(["a"], [[value]])).text,
        display.table_text(["a"], [[value]]),
    ):
        assert "(1 row)" in shown or "1 row" in shown
        assert len(shown) < 600


def test_tables_read_well():
    """Absent values are dashes, numbers are short and on the right, bytes and parts are counted."""
    row = [None, 0.1 + 0.2, b"abc", ({"word": "x"},), True]
    page = Page(display.table_html(list("abcde"), [row], "speech"))

    assert page.text == "speech (1 row) a b c d e - 0.3 3 bytes 1 item True"
    assert len(page.all("td", "vb-number")) == len(page.all("th", "vb-number")) == 1
    assert display.table_text(["a", "bb"], [[1, "x"], [22, "y" * 99]], "t") == (
        "t (2 rows)\na   bb\n--  " + "-" * 40 + "\n1   x\n22  " + "y" * 39 + "…"
    )


def test_long_and_empty_tables():
    """Of a long table the first rows are shown and all are counted; an empty one is still a table."""
    page = Page(display.table_html(["a"], [[i] for i in range(1000)]))

    assert "the first 200 of 1000 rows" in page.text
    assert len(page.all("td")) == 200
    assert "0 rows" in Page(display.table_html([], [])).text
    assert display.table_text([], []) == "0 rows"


def test_segments_show_pictures_or_blanks():
    """Each segment has a card with its picture, or a blank of the same shape."""
    segments = [Segment(id=str(i), start_time=i, end_time=i + 1.5) for i in range(3)]
    page = Page(display.segments_html(segments, {"1": JPEG}))

    assert len(page.all("figure")) == 3
    assert len(page.all("img")) == 1
    assert len(page.all("span", "vb-blank")) == 2
    assert "1.50 s" in page.text
    assert "3 segments" in display.segments_text(segments)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, "00:00"), (59.999, "00:59"), (60, "01:00"), (3599.9, "59:59"), (3600, "1:00:00"), (-1, "00:00"),
     (360_000, "100:00:00")],
)  # fmt: skip
def test_clock(seconds, expected):
    """Whole seconds that have passed, with hours only where there are any."""
    assert display.clock_text(seconds) == expected


def test_it_is_light():
    """Showing a result loads neither pandas, numpy nor pydantic."""
    code = "import sys, vidbench.display as d; d.table_html(['a'], [[1]]); print([m for m in "
    code += "('pandas', 'numpy', 'pydantic', 'rich') if m in sys.modules])"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert found.stdout.strip() == "[]"
