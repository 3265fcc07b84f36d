"""Speech: what is made of a library's segments, and real sound with the real model."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest
from perception.frames import Calm

from vidbench.contract.models import ModelSpec
from vidbench.errors import Interrupted, MissingModel
from vidbench.perception import speech
from vidbench.perception.speech import FasterWhisper, speech_in

RATE = 16_000
JFK = "and so my fellow americans ask not what your country can do for you ask what you can do for your country"


@dataclass
class Word:
    """A word as the library says it."""

    word: str
    start: float
    end: float
    probability: float = 0.9


@dataclass
class Segment:
    """A segment as the library says it."""

    start: float
    end: float
    text: str
    words: tuple = ()
    avg_logprob: float = -0.1
    no_speech_prob: float = 0.05


class Said(FasterWhisper):
    """A model that hears what it is told, once with the text before in mind and once without."""

    def __init__(self, carried, alone=()):
        super().__init__(spec("/nowhere"), 1)
        self.scripts = {True: carried, False: alone}
        self.asked = []

    def _segments(self, sound, language, *, carry):
        self.asked.append((len(sound) / RATE, language, carry))
        yield from self.scripts[carry]

    def _language(self, sound):
        return "en"


class Cancelled(Calm):
    """An interrupt that comes after some checks."""

    def __init__(self, checks):
        self.checks = checks

    def check(self):
        """Count down."""
        self.checks -= 1
        if self.checks < 0:
            raise Interrupted("cancelled")


def spec(path):
    """A model of the tests' own."""
    return ModelSpec(name="whisper-base", role="speech", engine="faster-whisper", path=str(path), checksum="")


@pytest.fixture
def always_speech(monkeypatch):
    """All sound counts as speech."""
    monkeypatch.setattr(speech, "speech_in", lambda audio: [(0.0, len(audio) / RATE)])


def lines_of(model, seconds=20.0, *, start=0.0, language=None, interrupt=None):
    """What *model* makes of silence."""
    audio = np.zeros(int(seconds * RATE), np.float32)
    return list(model.transcribe(audio, language=language, start=start, interrupt=interrupt or Calm()))


def test_times_are_absolute(always_speech):
    """A line's times and its words' are those of the file, not of the sound handed over."""
    said = Segment(1.0, 2.0, " Hello there.", (Word(" Hello", 1.0, 1.4), Word(" there.", 1.5, 2.0)))
    (line,) = lines_of(Said([said]), start=600.0)
    assert (line.start_time, line.end_time, line.text) == (601.0, 602.0, "Hello there.")
    assert [(w.word, w.start_time) for w in line.words] == [("Hello", 601.0), ("there.", 601.5)]


def test_confidence_is_the_mean_probability(always_speech):
    """Confidence is e to the mean log probability, and never above 1."""
    lines = lines_of(Said([Segment(0, 1, "a", avg_logprob=-0.5), Segment(1, 2, "b", avg_logprob=0.1)]))
    assert [line.confidence for line in lines] == [pytest.approx(0.6065, abs=1e-4), 1.0]


def test_words_are_in_order_and_inside(always_speech):
    """Words that step back or outside are put where they can be."""
    words = (Word("a", 0.5, 2.5), Word("b", 2.2, 2.1), Word("c", 1.0, 9.0))
    (line,) = lines_of(Said([Segment(1.0, 3.0, "a b c", words)]))
    times = [(word.start_time, word.end_time) for word in line.words]
    assert times == [(1.0, 2.5), (2.2, 2.2), (2.2, 3.0)]


def test_lines_do_not_go_back(always_speech):
    """A segment that begins before the last one ended begins where it ended."""
    lines = lines_of(Said([Segment(0, 5, "one"), Segment(4, 6, "two"), Segment(6, 90, "three")]))
    assert [(line.start_time, line.end_time) for line in lines] == [(0, 5), (5, 6), (6, 20)]


def test_times_are_plain_floats(always_speech):
    """Numpy's numbers do not come out, for they are no JSON."""
    word = Word("a", np.float64(0.0), np.float64(1.0), np.float32(0.5))
    (line,) = lines_of(Said([Segment(np.float64(0.0), np.float64(1.0), "a", (word,))]))
    found = (line.start_time, line.end_time, line.confidence, line.words[0].confidence)
    assert [type(value) for value in found] == [float] * 4


def test_empty_segments_are_no_lines(always_speech):
    """Segments without text are dropped."""
    assert lines_of(Said([Segment(0, 1, "  ")])) == []


def test_a_loop_is_heard_again_without_the_text_before(always_speech):
    """From the third equal line on, the rest is transcribed without what came before."""
    loop = [Segment(number, number + 1, " Thank you.") for number in range(15)]
    model = Said([Segment(0, 0, "Well."), *loop], alone=[Segment(1, 3, "Something else.")])
    lines = lines_of(model)
    assert [line.text for line in lines] == ["Well.", "Thank you.", "Thank you.", "Something else."]
    assert model.asked == [(20.0, "en", True), (18.0, "en", False)]
    assert lines[-1].start_time == 3.0


def test_the_language_asked_for_is_used(always_speech):
    """A language that is given is not detected."""
    model = Said([Segment(0, 1, "Guten Tag.")])
    assert lines_of(model, language="de")[0].language == "de"
    assert model.asked[0][1] == "de"


def test_a_cancel_stops_between_segments(always_speech):
    """No further line comes out after the cancel."""
    model = Said([Segment(number, number + 1, f"line {number}") for number in range(5)])
    audio = np.zeros(20 * RATE, np.float32)
    stream = model.transcribe(audio, language="en", start=0, interrupt=Cancelled(2))
    assert [next(stream).text, next(stream).text] == ["line 0", "line 1"]
    with pytest.raises(Interrupted):
        next(stream)


def test_silence_has_no_lines(tmp_path):
    """Where nobody speaks the model is not even loaded."""
    model = FasterWhisper(spec(tmp_path), 1)
    assert lines_of(model) == []
    assert speech_in(np.empty(0, np.float32)) == []


def test_a_model_that_is_not_there_is_named(tmp_path, always_speech):
    """The error says which model and how to get it."""
    with pytest.raises(MissingModel, match=r"whisper-base.*vidbench models pull"):
        lines_of(FasterWhisper(spec(tmp_path), 1))


def test_a_damaged_model_is_named(tmp_path, always_speech):
    """A file that is no model is a missing model, not a crash."""
    (tmp_path / "model.bin").write_bytes(b"nothing of the kind")
    with pytest.raises(MissingModel, match="cannot be loaded"):
        lines_of(FasterWhisper(spec(tmp_path), 1))


@pytest.mark.model
def test_real_speech(models_dir, shared_media):
    """A well-known sentence comes out to the word, with words in order and inside their lines."""
    from faster_whisper import decode_audio

    audio = decode_audio(str(shared_media / "speech" / "jfk.flac"))
    model = FasterWhisper(spec(models_dir / "whisper-base"), 2)
    lines = list(model.transcribe(audio, language=None, start=100.0, interrupt=Calm()))
    words = [word for line in lines for word in line.words]
    assert " ".join(word.word.strip(",.").lower() for word in words) == JFK
    assert " ".join(line.text for line in lines).split() == [word.word for word in words]
    assert all(one.start_time <= two.start_time for one, two in pairwise(words))
    assert all(100.0 <= word.start_time <= word.end_time <= 111.0 for word in words)
    again = list(model.transcribe(audio, language=None, start=100.0, interrupt=Calm()))
    assert again == lines
    model.close()
    model.close()
