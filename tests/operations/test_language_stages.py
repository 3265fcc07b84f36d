"""The stages of the language worker: summary, passages, question and chat."""

from __future__ import annotations

import dataclasses
import json

import numpy as np
import pytest

from vidbench.contract.chat import NOT_IN_THESE_VIDEOS
from vidbench.contract.ids import stable_id
from vidbench.contract.models import ModelSpec
from vidbench.contract.work import Unit
from vidbench.errors import Interrupted, InvalidInput
from vidbench.language.embedding import OnnxEmbedding
from vidbench.language.llama import LlamaCpp
from vidbench.language.protocols import Preempted
from vidbench.operations import chat, passages, summary
from vidbench.testing.fakes import FakeEmbedding, FakeLanguage, spoken_line

SECONDS = 60.0
TALK = (
    "When you share your creativity, you enable people to learn from it.",
    "Copyright protects your creativity against uses you don't consent to.",
    "But sometimes full copyright is too restrictive.",
    "We provide free copyright licenses that tell people what they may do.",
    "It's easy. It only takes a minute, and it's totally free.",
    "You don't give up your copyright. You refine it, so it works better for you.",
)


class Calm:
    cancelled = False
    preempted = False

    def check(self):
        if self.cancelled:
            raise Interrupted("cancelled")


class Given:
    """The models of a test."""

    def __init__(self, **models):
        self.models = models

    def get(self, role):
        return self.models[role]


class Startled(FakeLanguage):
    """Stands aside once in every other call."""

    calls = 0

    def complete(self, request, interrupt):
        self.calls += 1
        if self.calls % 2:
            yield '{"su'
            raise Preempted("another goes first")
        return (yield from super().complete(request, interrupt))


def spec(role):
    return ModelSpec(name="fake", role=role, engine="fake", path="", checksum="")


def fakes():
    return Given(language=FakeLanguage(spec("language"), 1), embedding=FakeEmbedding(spec("embedding"), 1))


def speech(lines=15):
    spoken = (spoken_line(number) for number in range(lines))
    return [
        {"id": f"speech-{n}", "file_id": "f", "ordinal": n, "start_time": line.start_time, "end_time": line.end_time,
         "text": line.text, "confidence": 0.9, "no_speech": 0.0, "speaker": None, "language": "en"}
        for n, line in enumerate(spoken)
    ]  # fmt: skip


def segments(number=4, seconds=20.0):
    return [
        {
            "id": f"segment-{n}",
            "ordinal": n,
            "start_time": n * seconds,
            "end_time": (n + 1) * seconds,
        }
        for n in range(number)
    ]


def unit(**facts):
    inputs = {"segments": segments(), "speech": speech(), "scene_text": []}
    return Unit(**({"stage": "summary", "run_id": "run", "inputs": inputs} | facts))


def rows_of(batches, table):
    return [row for batch in batches for row in batch.rows.get(table, ())]


def test_a_summary_a_segment_then_the_file():
    """One batch a segment with its evidence, then the file's, and progress that ends at one."""
    batches = list(summary.run(unit(), fakes(), Calm()))

    rows = rows_of(batches, "segment_summaries")
    assert [row["ordinal"] for row in rows] == [0, 1, 2, 3]
    assert [row["segment_id"] for row in rows] == [f"segment-{n}" for n in range(4)]
    assert json.loads(rows[0]["claims"])[0]["evidence"][0] in {f"speech-{n}" for n in range(5)}
    assert (rows[3]["title"], json.loads(rows[3]["claims"])) == ("No speech", [])
    assert [row["ordinal"] for row in rows_of(batches, "file_summaries")] == [0]
    assert [batch.progress for batch in batches] == sorted(batch.progress for batch in batches)
    assert batches[-1].progress == 1.0
    assert batches[-1].result["segments"] == 4


@pytest.mark.parametrize("count", [4, 60])
def test_a_summary_resumed_anywhere_is_the_same(count):
    """From every checkpoint, as JSON, the rest and the result come out as in one go: short files and long ones."""
    inputs = {"segments": segments(count), "speech": speech(count * 5), "scene_text": []}
    whole = list(summary.run(unit(inputs=inputs), fakes(), Calm()))

    for stopped in range(0, len(whole) - 1, max(1, count // 6)):
        position = json.loads(json.dumps(whole[stopped].position))
        rest = list(summary.run(unit(inputs=inputs, position=position), fakes(), Calm()))
        assert rest == whole[stopped + 1 :]


def test_a_long_file_cites_its_segment_summaries():
    """Beyond the budget the file's summary rests on the rows of the segments' summaries."""
    inputs = {"segments": segments(60), "speech": speech(300), "scene_text": []}

    batches = list(summary.run(unit(inputs=inputs), fakes(), Calm()))

    known = {stable_id("run", "segment_summaries", number) for number in range(60)}
    (row,) = rows_of(batches, "file_summaries")
    cited = [line for claim in json.loads(row["claims"]) for line in claim["evidence"]]
    assert cited
    assert set(cited) <= known
    assert max(len(json.dumps(batch.position)) for batch in batches) < 20_000


def test_a_call_that_stands_aside_gives_the_worker_a_step():
    """The pause commits nothing, and the result is that of a run without pauses."""
    startled = Given(language=Startled(spec("language"), 1))

    batches = list(summary.run(unit(), startled, Calm()))

    pauses = [batch for batch in batches if not batch.rows]
    assert pauses
    assert all(batch.position == {} and not batch.result for batch in pauses)
    assert [batch for batch in batches if batch.rows] == list(summary.run(unit(), fakes(), Calm()))


def test_a_cancel_stops_between_segments():
    """What was committed stays, nothing more comes."""
    calm = Calm()
    batches = summary.run(unit(), fakes(), calm)
    next(batches)
    calm.cancelled = True

    with pytest.raises(Interrupted):
        next(batches)


def test_a_file_without_anything_is_described_honestly():
    """No segment, no speech, no text: a title and a summary from code."""
    batches = list(summary.run(unit(inputs={"segments": [], "speech": [], "scene_text": []}), fakes(), Calm()))

    (row,) = rows_of(batches, "file_summaries")
    assert row["title"] == "No speech"


def test_doubtful_lines_are_no_evidence():
    """What the speech model does not believe itself is not summed up."""
    ghost = speech(1)[0] | {"text": "Thanks for watching.", "confidence": 0.13}

    assert summary.evidence_lines([ghost], [ghost | {"text": " "}]) == []


def passage_unit(tmp_path, **inputs):
    told = {"title": "Licenses", "summary": "They are free."}
    empty = {"speech": [], "scene_text": [], "segment_summaries": [], "file_summaries": []}
    full = {
        "speech": speech(2),
        "scene_text": [{"id": "seen", "text": "EXIT", "start_time": 1.0, "end_time": 2.0}],
        "segment_summaries": [{"id": "part", "start_time": 0.0, "end_time": 20.0, **told}],
        "file_summaries": [{"id": "all", **told}],
    }
    facts = {"duration_seconds": SECONDS}
    return Unit(
        stage="passages",
        run_id="run",
        folder=str(tmp_path),
        facts=facts,
        inputs=empty | (inputs or full),
    )


def test_passages_have_a_vector_each(tmp_path):
    """Kinds in their order, ordinals that count them, vectors in the same order."""
    (batch,) = passages.run(passage_unit(tmp_path), fakes(), Calm())

    rows = batch.rows["passages"]
    assert [row["kind"] for row in rows] == [
        "speech",
        "speech",
        "scene_text",
        "segment_summary",
        "summary",
    ]
    assert [row["ordinal"] for row in rows] == [0, 1, 2, 3, 4]
    assert rows[-1] == {
        "ordinal": 4, "kind": "summary", "row_id": "all", "text": "Licenses: They are free.",
        "start_time": 0.0, "end_time": SECONDS,
    }  # fmt: skip
    vectors = np.load(tmp_path / batch.artifacts[0].path, allow_pickle=False)
    assert (vectors.shape, vectors.dtype) == ((5, 64), np.float32)
    np.testing.assert_array_equal(vectors[2], fakes().get("embedding").embed(["EXIT"])[0])


def test_a_file_without_passages_has_empty_vectors(tmp_path):
    """No row, no vector, and a file all the same; a line of blanks counts as none."""
    blank = speech(1)[0] | {"text": "  "}

    (batch,) = passages.run(passage_unit(tmp_path, speech=[blank]), fakes(), Calm())

    assert batch.rows["passages"] == []
    assert len(np.load(tmp_path / "vectors.npy")) == 0


def test_passages_are_written_twice_alike(tmp_path):
    """A run done again gives the same rows and the same bytes."""
    first = list(passages.run(passage_unit(tmp_path / "a"), fakes(), Calm()))
    second = list(passages.run(passage_unit(tmp_path / "b"), fakes(), Calm()))

    assert first == second


def test_a_question_becomes_a_vector():
    """The search gets plain numbers."""
    (batch,) = chat.embed(Unit(stage="question", run_id="", config={"text": "free licenses"}), fakes(), Calm())

    assert len(batch.result["vector"]) == 64
    assert json.dumps(batch.result)


def chat_unit(question="What is amber birch?", **facts):
    found = [
        {"passage_id": row["id"], "row_id": row["id"], "file_id": "f", "filename": "a.mp4", "kind": "speech",
         "text": row["text"],
         "start_time": row["start_time"], "end_time": row["end_time"], "score": 1.0, "cosine": 0.5,
         "words": [dataclasses.asdict(word) for word in spoken_line(row["ordinal"]).words]}
        for row in speech(3)
    ]  # fmt: skip
    config = {"messages": [{"role": "user", "content": question}], "temperature": 0.0}
    return Unit(**({"stage": "chat", "run_id": "", "config": config, "inputs": {"passages": found}} | facts))


def test_an_answer_streams_and_cites():
    """Tokens join to the text, the last batch has claims, quotes and usage as plain data."""
    batches = list(chat.run(chat_unit(), fakes(), Calm()))

    result = batches[-1].result
    assert result["answered"]
    assert "".join(batch.token for batch in batches) == result["text"]
    quote = result["quotes"][0]
    assert quote["claim"] == 0
    assert quote["text"] in "amber birch cedar delta ember fjord grove."
    assert quote["passage_id"] in result["claims"][0]["evidence"]
    assert result["usage"]["total_tokens"] > 0
    assert json.loads(json.dumps(result)) == result


def test_a_question_without_answer_is_refused():
    """The refusal is streamed like an answer and cites nothing."""
    batches = list(chat.run(chat_unit("What is unknown about amber birch?"), fakes(), Calm()))

    assert batches[-1].result["answered"] is False
    assert "".join(batch.token for batch in batches) == NOT_IN_THESE_VIDEOS


@pytest.mark.parametrize(
    ("config", "field"),
    [
        ({"messages": []}, "messages"),
        ({"messages": [{"role": "assistant", "content": "Yes."}]}, "messages"),
        ({"messages": [{"content": "Why?"}], "temperature": 3}, "temperature"),
    ],
)
def test_a_bad_question_names_its_field(config, field):
    """Nothing is asked of the model before the request is sound."""
    with pytest.raises(InvalidInput) as caught:
        list(chat.run(chat_unit(config=config), fakes(), Calm()))

    assert caught.value.field == field


def test_an_answer_can_be_cancelled():
    """Between two pieces the cancel is seen."""
    calm = Calm()
    calm.cancelled = True

    with pytest.raises(Interrupted):
        list(chat.run(chat_unit(), fakes(), calm))


@pytest.fixture(scope="module")
def real(models_dir):
    language = dataclasses.replace(spec("language"), path=str(models_dir / "qwen2.5-coder-0.5b"))
    embedding = dataclasses.replace(spec("embedding"), path=str(models_dir / "minilm"))
    models = Given(language=LlamaCpp(language, 1), embedding=OnnxEmbedding(embedding, 1))
    yield models
    models.get("language").close()


def talk_rows():
    return [
        {
            "id": f"p{n}",
            "text": text,
            "start_time": n * 5.0,
            "end_time": n * 5.0 + 5.0,
            "confidence": 0.9,
        }
        for n, text in enumerate(TALK)
    ]


def asked(real, question):
    """The answer to *question* from the lines of a talk, found by their likeness alone."""
    vectors = real.get("embedding").embed([question, *TALK])
    found = [
        row | {"passage_id": row["id"], "cosine": float(vector @ vectors[0])}
        for row, vector in zip(talk_rows(), vectors[1:], strict=True)
    ]
    config = {"messages": [{"content": question}]}
    return list(chat.run(chat_unit(config=config, inputs={"passages": found}), real, Calm()))[-1].result


@pytest.mark.model
@pytest.mark.parametrize(
    ("question", "cited"),
    [
        ("What does copyright protect against?", "p1"),
        ("How long does it take to get a license?", "p4"),
        ("Do you give up your copyright?", "p5"),
    ],
)
def test_a_small_model_answers_with_the_right_line(real, question, cited):
    """The line that answers is among those cited, and every quote stands in its line."""
    said = asked(real, question)

    texts = {row["id"]: row["text"] for row in talk_rows()}
    assert said["answered"]
    assert cited in {quote["passage_id"] for quote in said["quotes"]}
    assert all(quote["text"] in texts[quote["passage_id"]] for quote in said["quotes"])


@pytest.mark.model
@pytest.mark.parametrize(
    "question",
    [
        "What is the capital of Australia?",
        "Who won the 1998 world cup?",
        "What does the speaker say about quantum computers?",
        "How tall is the Eiffel tower?",
        "In which year did it start?",
    ],
)
def test_a_small_model_refuses_what_the_talk_does_not_tell(real, question):
    """Knowledge of the world is no evidence."""
    assert asked(real, question)["text"] == NOT_IN_THESE_VIDEOS


@pytest.mark.model
def test_a_small_model_sums_up(real):
    """Title and summary rest on the lines they cite."""
    inputs = {"segments": segments(1, 30.0), "speech": talk_rows(), "scene_text": []}

    batches = list(summary.run(unit(inputs=inputs), real, Calm()))

    (row,) = rows_of(batches, "file_summaries")
    claims = json.loads(row["claims"])
    assert row["title"]
    assert len(claims) >= 2
    assert all(claim["supported"] and claim["evidence"] for claim in claims)
