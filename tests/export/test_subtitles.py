"""Subtitles are read back by a reader of their grammar, whatever was said and whenever."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.contract.describe import Describe, DescribeConfig, DescribeData, SpeechLine, Word
from vidbench.errors import InvalidInput, NotReady
from vidbench.export import export, exporters
from vidbench.export.cues import LINE_CHARACTERS, LINES
from vidbench.export.vtt import write as write_vtt

TIMES = re.compile(r"(\d\d+):(\d\d):(\d\d)[,.](\d\d\d) --> (\d\d+):(\d\d):(\d\d)[,.](\d\d\d)")


def described(*speech: SpeechLine) -> Describe:
    """A description that holds *speech*."""
    return Describe(
        job_id="j",
        status="completed",
        url="talk.mp4",
        duration_seconds=100.0,
        created_at=1,
        describe_config=DescribeConfig(),
        data=DescribeData(speech=speech),
    )


def line(text: str, start: float, end: float, *, words: bool = False, speaker: str | None = None) -> SpeechLine:
    """A line of the transcript; with *words*, each word takes an equal share of its time."""
    parts = text.split()
    step = (end - start) / max(len(parts), 1)
    timed = [
        Word(word=part, start_time=start + step * i, end_time=start + step * (i + 1)) for i, part in enumerate(parts)
    ]
    return SpeechLine(
        text=text,
        start_time=start,
        end_time=end,
        words=tuple(timed if words else ()),
        speaker=speaker,
    )


def read(text: str) -> list[tuple[int, int, list[str]]]:
    """The cues of SubRip or WebVTT text: start and end in milliseconds, lines."""
    cues = []
    for block in text.removeprefix("WEBVTT\n\n").split("\n\n"):
        lines = block.split("\n")
        times = next((i for i, one in enumerate(lines) if TIMES.fullmatch(one)), None)
        if times is None:
            assert block == ""
            continue
        assert times == (0 if text.startswith("WEBVTT") else 1)
        numbers = [int(number) for number in TIMES.fullmatch(lines[times]).groups()]
        start, end = (((h * 60 + m) * 60 + s) * 1000 + ms for h, m, s, ms in (numbers[:4], numbers[4:]))
        cues.append((start, end, lines[times + 1 :]))
    return cues


seconds = st.floats(0, 20_000)
speech_lines = st.builds(
    lambda text, start, took, words, speaker: line(text, start, start + took, words=words, speaker=speaker),
    st.text(max_size=300) | st.lists(st.from_regex(r"\w{1,15}[.,?]?", fullmatch=True), max_size=40).map(" ".join),
    seconds,
    st.floats(0, 40),
    st.booleans(),
    st.none() | st.text(max_size=60),
)


@given(st.lists(speech_lines, max_size=6))
def test_srt_comes_back(speech):
    """Every word is there once in the order of time; lines are short; no cue overlaps another."""
    text = export(described(*speech), "srt")
    cues = read(text)

    check_layout(cues)
    assert [int(block.split("\n")[0]) for block in text.split("\n\n") if block] == list(range(1, len(cues) + 1))
    said = "".join("".join(spoken(one, named=True)) for one in speech)
    assert sorted(said) == sorted("".join("".join(lines) for *_, lines in cues).replace(" ", ""))


@given(st.lists(speech_lines, max_size=6), st.booleans())
def test_vtt_comes_back(speech, word_times):
    """Nothing that is said can leave its cue: markup and arrows are escaped, and undo to what was said."""
    cues = read(write_vtt(described(*speech), word_times=word_times))
    plain = [(start, end, [unescape(re.sub(r"<[^>]*>", "", one)) for one in lines]) for start, end, lines in cues]

    check_layout(plain)
    said = "".join("".join(spoken(one)) for one in speech)
    assert sorted(said) == sorted("".join("".join(lines) for *_, lines in plain).replace(" ", ""))


@given(st.lists(speech_lines, min_size=1, max_size=4))
def test_vtt_word_times_rise_within_their_cue(speech):
    """Time stamps inside a cue lie between its times and rise, as WebVTT demands."""
    for start, end, lines in read(write_vtt(described(*speech), word_times=True)):
        stamps = re.findall(r"<(\d\d+):(\d\d):(\d\d)\.(\d\d\d)>", "".join(lines))
        times = [((int(h) * 60 + int(m)) * 60 + int(s)) * 1000 + int(ms) for h, m, s, ms in stamps]

        assert times == sorted(set(times))
        assert all(start < time < end for time in times)


def check_layout(cues: list[tuple[int, int, list[str]]]) -> None:
    """Two short lines at most; each cue lasts, and ends before the next starts."""
    for start, end, lines in cues:
        assert start < end
        assert 1 <= len(lines) <= LINES
        assert max(map(len, lines)) <= LINE_CHARACTERS
    assert all(one[1] <= two[0] for one, two in pairwise(cues))


def spoken(one: SpeechLine, *, named: bool = False) -> list[str]:
    """The words of a line, with who speaks before them."""
    name = f"{one.speaker}:".split() if named and one.speaker else []
    return [word.replace("-->", "→") if named else word for word in [*name, *one.text.split()]]


def test_words_time_the_cues():
    """A long line is cut where a cue is full, at the time of the word that begins the next."""
    text = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen"
    cues = read(export(described(line(text, 10, 18, words=True)), "srt"))

    assert cues == [
        (
            10_000,
            17_000,
            ["one two three four five six seven eight", "nine ten eleven twelve thirteen fourteen"],
        ),
        (17_000, 18_000, ["fifteen sixteen"]),
    ]


def test_lines_are_of_like_length():
    """Two lines share the text about equally, the lower one being the longer."""
    text = "we would like to invite all of you to work together"
    (cue,) = read(export(described(line(text, 0, 4)), "srt"))

    assert cue[2] == ["we would like to invite", "all of you to work together"]


def test_a_cue_stays_long_enough_to_be_read():
    """A short exclamation stays for 5/6 of a second, unless the next one comes first."""
    cues = read(export(described(line("Oh!", 1, 1.1), line("No!", 1.5, 1.6)), "srt"))

    assert [(start, end) for start, end, _ in cues] == [(1000, 1500), (1500, 2333)]


def test_two_at_once_are_shown_in_turn():
    """Lines that are spoken at the same time do not cover one another."""
    cues = read(export(described(line("Yes.", 2, 5, speaker="Ann"), line("No.", 2, 5, speaker="Bob")), "srt"))

    assert [lines for *_, lines in cues] == [["Ann: Yes."], ["Bob: No."]]
    assert cues[0][1] <= cues[1][0]


def test_vtt_names_speakers_as_voices():
    """A speaker becomes a voice span, escaped."""
    text = export(described(line("Hi <b>", 0, 1, speaker="A > B")), "vtt")

    assert text == "WEBVTT\n\n00:00:00.000 --> 00:00:01.000\n<v A &gt; B>Hi &lt;b&gt;\n\n"


def test_word_cues():
    """With word times, each word but the first carries its own."""
    text = write_vtt(described(line("work together now", 0, 3, words=True)), word_times=True)

    assert "work <00:00:01.000><c>together</c> <00:00:02.000><c>now</c>" in text


def test_writing_without_blanks_is_cut():
    """A text without blanks is cut at the width of a line, within its time."""
    cues = read(export(described(line("あ" * 100, 0, 6)), "srt"))

    assert "".join("".join(lines) for *_, lines in cues) == "あ" * 100
    assert cues[0][0] == 0
    assert cues[-1][1] == 6000


def test_silence_is_an_empty_file():
    """Where nothing is said, subtitles are valid and empty."""
    assert export(described(), "srt") == ""
    assert export(described(), "vtt") == "WEBVTT\n\n"


@pytest.mark.parametrize("name", ["srt", "vtt"])
@pytest.mark.parametrize("data", [None, DescribeData(title="T")])
def test_without_a_transcript(name, data):
    """Subtitles of what was not transcribed are NotReady, and say what to run."""
    with pytest.raises(NotReady, match="enable_speech=True"):
        export(replace(described(), data=data), name)


def test_unknown_formats_list_the_known():
    """A format that nobody offers is refused with the list of those there are."""
    with pytest.raises(InvalidInput, match="json, markdown, srt, vtt") as caught:
        export(described(), "docx")

    assert caught.value.field == "format"


def test_our_formats_come_through_the_entry_points():
    """The formats of vidbench are entry points like anybody's."""
    assert {"srt", "vtt", "markdown", "json"} <= set(exporters())
