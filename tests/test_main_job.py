"""The main job on the project's clip with real models: described once, then read by every test here."""

from __future__ import annotations

import itertools
import os
import re
from pathlib import Path

import jiwer
import pytest

import vidbench as vb
from vidbench.contract.chat import NOT_IN_THESE_VIDEOS

pytestmark = [pytest.mark.model, pytest.mark.timeout(600)]

ANSWERABLE = "How can I share my work freely?"
UNANSWERABLE = ["Who won the football World Cup in 2018?", "What is the capital of Australia?"]


@pytest.fixture(scope="session")
def bench(models_dir, clip, tmp_path_factory):
    """A workspace in which the clip was described, with the tiny models."""
    folder = tmp_path_factory.mktemp("main-job")
    os.environ["VIDBENCH_CACHE"] = str(folder / "cache")
    with vb.open(folder / "workspace") as bench:
        bench.add(clip).describe().result(timeout=500)
        yield bench
    del os.environ["VIDBENCH_CACHE"]


@pytest.fixture
def file(bench, clip):
    """The described clip."""
    return bench.files[clip.name]


def letters(text: str) -> str:
    """*text* without blanks."""
    return "".join(text.split())


def test_title_and_summary_are_about_the_clip(file):
    """Both name what the clip is about."""
    assert "creative" in f"{file.title} {file.summary}".lower()
    assert len(file.summary) > len(file.title) > 5


def test_the_transcript_is_what_is_said(file, shared_media):
    """At most one word in five differs from the corrected draft."""
    draft = (shared_media / "talk" / "wannaworktogether.transcript.txt").read_text()
    said = [line for line in draft.splitlines() if not line.startswith("#")]
    plain = jiwer.Compose([jiwer.ToLowerCase(), jiwer.RemovePunctuation(), jiwer.RemoveMultipleSpaces(), jiwer.Strip()])
    error = jiwer.wer(plain(" ".join(said)), plain(" ".join(line.text for line in file.speech)))

    assert error < 0.2


def test_words_have_times_and_confidence(file):
    """Every word lies in its line, in order, with a confidence between 0 and 1."""
    for line in file.speech:
        assert line.words
        times = [time for word in line.words for time in (word.start_time, word.end_time)]
        assert times == sorted(times)
        assert line.start_time <= times[0]
        assert times[-1] <= line.end_time
        assert all(word.confidence is not None and 0 <= word.confidence <= 1 for word in line.words)


def test_segments_cover_the_clip(file):
    """Uniform windows of twenty seconds, each with a title, neighbours sharing their boundary."""
    summaries = list(file.segment_summaries)

    assert len(summaries) == len(file.segments) == 10
    assert all(one.title for one in summaries)
    for one, next_one in itertools.pairwise(summaries):
        assert one.end_time == next_one.start_time


def test_scene_text_is_read_with_times(file):
    """The opening title and the licence on the last card are there, at the right times."""
    seen = [(letters(text.text).lower(), text.start_time) for text in file.scene_text]

    assert any("together" in text and time < 10 for text, time in seen)
    assert any("creativecommons.org" in text and time > 150 for text, time in seen)


def test_an_answer_cites_words_that_were_really_said(bench, file):
    """At least two citations, each quote found in the words of the cited time."""
    answer = bench.collection("all").ask(ANSWERABLE).result(timeout=120)

    assert answer.answered
    assert len(answer.citations) >= 2
    for citation in answer.citations:
        start, end = float(citation.start_time) - 0.02, float(citation.end_time) + 0.02
        spoken = "".join(word.word for word in file.words if start <= word.start_time and word.end_time <= end)
        read = [text.text for text in file.scene_text]
        assert letters(citation.text) in letters(spoken) or citation.text in read
        assert citation.segment_id in {segment.id for segment in file.segments}
    usage = answer.usage
    assert usage.prompt_tokens > 100
    assert usage.total_tokens == usage.prompt_tokens + usage.completion_tokens


@pytest.mark.parametrize("question", UNANSWERABLE)
def test_what_the_clip_does_not_say_is_refused(bench, question):
    """An honest "not in these videos", without citations."""
    answer = bench.collection("all").ask(question).result(timeout=120)

    assert not answer.answered
    assert answer.text == NOT_IN_THESE_VIDEOS
    assert not answer.citations


def test_the_answer_streams(bench):
    """Tokens arrive before the answer is there, and make up its beginning."""
    job = bench.collection("all").ask("What can you do if full copyright is too restrictive?")
    pieces = list(job.stream())
    answer = job.result()

    assert answer.answered
    assert len(pieces) >= len(answer.claims)
    assert letters("".join(pieces)) == letters(answer.text)
    assert letters(
        "".join(bench.collection("all").ask(job.record.config["messages"][0]["content"]).stream())
    ) == letters(answer.text)


def test_a_conversation_goes_on(bench):
    """The second question sees the first."""
    chat = bench.collection("all").chat()
    chat.ask("Who is the teacher in the video?").result(timeout=120)
    second = chat.ask("And the artist?").result(timeout=120)

    assert len(chat.messages) == 4
    assert second.completion.payload.messages[0].content == "Who is the teacher in the video?"


def test_sql_reads_everything(bench, file):
    """Friendly views, with parameters and with DataFrames found by name."""
    import pandas as pd

    mine = pd.DataFrame({"filename": [file.name], "wanted": [True]})
    found = bench.sql("select s.text from speech s join mine using (filename) where s.text ilike ?", ["%copyright%"])
    runs = bench.sql("select * from runs where is_current")

    assert len(mine) == 1
    assert len(found) > 0
    assert {"scan", "speech", "scene_text", "segmentation", "summary", "passages"} <= set(runs["kind"])
    assert runs["model_names"].astype(str).str.contains("whisper").any()


def test_asking_again_computes_nothing(bench, file):
    """The same request is the same job, and it has ended already."""
    job = file.describe()

    assert job.record.state.ended
    assert job.record.attempt == 1


@pytest.mark.parametrize("name", ["srt", "vtt", "markdown", "json"])
def test_exports_hold_the_transcript(file, name):
    """Every format has what was said."""
    text = re.sub(r"[\s>-]+", " ", file.export(name))
    words = [word.word.strip() for word in file.words][:3]

    assert all(word in text for word in words)


def test_results_show_themselves(bench, file):
    """Rich results are static HTML with inline pictures."""
    page = file._repr_html_()

    assert "data:image/jpeg;base64," in page
    assert file.name in page
    assert Path(file.record.path).name in repr(file)
