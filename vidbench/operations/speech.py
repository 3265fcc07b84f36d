"""Speech: the transcript with word times, a line a Batch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from vidbench.contract.describe import SpeechLine
from vidbench.contract.work import Batch, Interrupt, Row, Unit
from vidbench.media.audio import load_audio, map_samples
from vidbench.operations.stages import Models
from vidbench.perception.protocols import SPEECH_RATE, SpeechModel
from vidbench.perception.shots import Span
from vidbench.perception.windows import plan_windows


def run(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Rows ``speech`` and ``words``, from the end of the last committed line on.

    Raises:
        Interrupted: the work was cancelled.
        StoreError: the sound of the scan cannot be read.
        MissingModel: the speech model cannot be loaded.
    """
    interrupt.check()
    audio = unit.inputs.get("audio", "")
    if not audio:
        yield Batch(progress=1.0, result={"lines": 0, "words": 0, "message": "There is no sound."})
        return
    samples = map_samples(audio)
    duration = len(samples) / SPEECH_RATE
    place = {"time": 0.0, "ordinal": 0, "word_ordinal": 0, "language": None, **unit.position}
    for window in plan_windows(samples):
        if window[1] > place["time"]:
            for batch in _window(audio, window, place, unit.config, models.get("speech"), interrupt):
                place = batch.position
                yield replace(batch, progress=min(place["time"] / duration, 0.99))
    counts = {
        "lines": place["ordinal"],
        "words": place["word_ordinal"],
        "language": place["language"],
    }
    yield Batch(position=place, progress=1.0, result=counts)


def _window(
    audio: str,
    window: Span,
    place: dict[str, Any],
    config: dict[str, Any],
    model: SpeechModel,
    interrupt: Interrupt,
) -> Iterator[Batch]:
    """A Batch a line of one long window, and one that says that the window is done."""
    begun = place["time"] > window[0]
    start = max(window[0], place["time"])
    # A window has one language: what was found at its beginning holds for its rest.
    language = config.get("language") or (place["language"] if begun else None)
    sound = load_audio(audio, start=start, end=window[1])
    for line in model.transcribe(sound, language=language, start=start, interrupt=interrupt):
        batch = _batch(line, place)
        place = batch.position
        yield batch
        interrupt.check()
    yield Batch(position={**place, "time": window[1]})


def _batch(line: SpeechLine, place: dict[str, Any]) -> Batch:
    words = _words(line, place["ordinal"], place["word_ordinal"])
    position = {
        "time": line.end_time,
        "ordinal": place["ordinal"] + 1,
        "word_ordinal": place["word_ordinal"] + len(words),
        "language": line.language or place["language"],
    }
    return Batch(rows={"speech": [_row(line, place["ordinal"])], "words": words}, position=position)


def _row(line: SpeechLine, ordinal: int) -> Row:
    return {
        "ordinal": ordinal,
        "start_time": line.start_time,
        "end_time": line.end_time,
        "text": line.text,
        "speaker": line.speaker,
        "language": line.language,
        "confidence": line.confidence,
        "no_speech": line.no_speech,
    }


def _words(line: SpeechLine, speech_ordinal: int, ordinal: int) -> list[Row]:
    return [
        {
            "ordinal": ordinal + number,
            "speech_ordinal": speech_ordinal,
            "word": word.word,
            "start_time": word.start_time,
            "end_time": word.end_time,
            "confidence": word.confidence,
        }
        for number, word in enumerate(line.words)
    ]
