"""Speech by faster-whisper, with pinned settings and a seed, so that equal sound gives equal lines.

The settings were chosen on recordings with known text (``benchmarks/quality.py`` prints both sides): within a stretch
of speech they are the library's own defaults, which no other setting tried beat. What the defaults lack is added around
them: long silences are left out beforehand, and a loop is broken.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.contract.describe import SpeechLine, Word
from vidbench.contract.models import ModelSpec
from vidbench.contract.work import Interrupt
from vidbench.errors import MissingExtra, MissingModel
from vidbench.perception.protocols import SPEECH_RATE
from vidbench.perception.shots import Span
from vidbench.perception.windows import plan_stretches

if TYPE_CHECKING:
    import numpy as np
    from faster_whisper import WhisperModel
    from numpy.typing import NDArray

SETTINGS: dict[str, Any] = {
    # Five beams: one beam made a quarter more word errors and saved a seventh of the time.
    "beam_size": 5,
    # Whisper's ladder: what comes out repetitive or improbable is tried again, warmer.
    "temperature": (0.0, 0.2, 0.4, 0.6, 0.8, 1.0),
    "compression_ratio_threshold": 2.4,
    "log_prob_threshold": -1.0,
    "no_speech_threshold": 0.6,
    "word_timestamps": True,
    # Its filter joins what is left and maps the times back, so that words straddle what was taken out.
    "vad_filter": False,
}
"""What faster-whisper is told; everything else is left at its defaults."""

LOOP_LINES = 3
"""Equal lines in a row that count as a loop; the third and what follows is heard again without them."""
MIN_SPEECH_MS = 250
"""Shorter sounds are no speech: Silero's own default, which faster-whisper sets to 0."""
LANGUAGE_PIECES = 4
"""How many pieces of thirty seconds are listened to until one's language is more likely than not."""
SEED = 20_240_229
"""Sampling above temperature 0 starts here for each stretch."""


class FasterWhisper:
    """A Whisper model in CTranslate2's format, on the processor in 8-bit integers or on a graphics card.

    Args:
        spec: its ``path`` is the folder that holds model.bin; the options ``device`` and ``compute_type`` overrule
            what is chosen.
        threads: cores it may use.
    """

    def __init__(self, spec: ModelSpec, threads: int) -> None:
        self._spec = spec
        self._threads = threads
        self._model: WhisperModel | None = None

    def transcribe(
        self,
        audio: NDArray[np.float32],
        *,
        language: str | None,
        start: float,
        interrupt: Interrupt,
    ) -> Iterator[SpeechLine]:
        """The lines spoken in *audio*, as :class:`~vidbench.perception.protocols.SpeechModel` says.

        Raises:
            Interrupted: the work was cancelled; seen between two segments.
            MissingModel: the model's files are absent or damaged.
            MissingExtra: faster-whisper is not installed.
        """
        duration = len(audio) / SPEECH_RATE
        stretches = plan_stretches(speech_in(audio), duration)
        if stretches:
            language = language or self._language(_cut(audio, (stretches[0][0], duration)))
        spoken = start
        for begin, end in stretches:
            interrupt.check()
            for offset, segment in self._heard(audio, (begin, end), language):
                line = _line(segment, language or "", start + offset, (spoken, start + end))
                if line.text:
                    spoken = line.end_time
                    yield line
                interrupt.check()

    def close(self) -> None:
        """Free the model."""
        self._model = None

    def _heard(self, audio: NDArray[np.float32], stretch: Span, language: str | None) -> Iterator[tuple[float, Any]]:
        """Segments of *stretch*, each with the seconds that its times count from.

        Each part is read with the text before it in mind, which is better on the whole but can go round in circles
        (SYSTRAN/faster-whisper, issue 183); from where it does, the rest is heard without.
        """
        begin, end = stretch
        last: list[str] = []
        for segment in self._segments(_cut(audio, stretch), language, carry=True):
            last = [*last, segment.text.strip().casefold()][-LOOP_LINES:]
            if len(last) == LOOP_LINES and len(set(last)) == 1:
                again = (begin + segment.start, end)
                break
            yield begin, segment
        else:
            return
        for segment in self._segments(_cut(audio, again), language, carry=False):
            yield again[0], segment

    def _segments(self, sound: NDArray[np.float32], language: str | None, *, carry: bool) -> Iterator[Any]:
        import ctranslate2

        model = self._loaded()
        ctranslate2.set_random_seed(SEED)
        segments, _ = model.transcribe(sound, language=language, condition_on_previous_text=carry, **SETTINGS)
        yield from segments

    def _language(self, sound: NDArray[np.float32]) -> str:
        language, _, _ = self._loaded().detect_language(
            sound, language_detection_segments=LANGUAGE_PIECES, language_detection_threshold=0.5
        )
        return str(language)

    def _loaded(self) -> WhisperModel:
        if self._model is None:
            self._model = _load(self._spec, self._threads)
        return self._model


def speech_in(audio: NDArray[np.float32]) -> list[Span]:
    """Stretches with speech, in seconds, by Silero's voice activity detector (MIT, inside faster-whisper).

    Raises:
        MissingExtra: faster-whisper is not installed.
    """
    try:
        from faster_whisper.vad import VadOptions, get_speech_timestamps
    except ImportError as error:
        raise MissingExtra.of("faster-whisper", "speech") from error
    if len(audio) == 0:
        return []
    found = get_speech_timestamps(audio, VadOptions(min_speech_duration_ms=MIN_SPEECH_MS), sampling_rate=SPEECH_RATE)
    return [(one["start"] / SPEECH_RATE, one["end"] / SPEECH_RATE) for one in found]


def _load(spec: ModelSpec, threads: int) -> WhisperModel:
    try:
        from faster_whisper import WhisperModel
    except ImportError as error:
        raise MissingExtra.of("faster-whisper", "speech") from error
    if not (Path(spec.path) / "model.bin").is_file():
        raise _unusable(spec, "has no model.bin")
    device, compute_type = _device(spec)
    try:
        return WhisperModel(
            spec.path,
            device=device,
            compute_type=compute_type,
            cpu_threads=threads,
            local_files_only=True,
        )
    except (RuntimeError, ValueError, OSError) as error:
        raise _unusable(spec, f"cannot be loaded ({error})") from error


def _device(spec: ModelSpec) -> tuple[str, str]:
    import ctranslate2

    found = "cuda" if ctranslate2.get_cuda_device_count() else "cpu"
    device = str(spec.options.get("device", found))
    # 8-bit weights halve the time on a processor; a card multiplies the rest in 16-bit floats.
    chosen = "int8_float16" if device == "cuda" else "int8"
    return device, str(spec.options.get("compute_type", chosen))


def _unusable(spec: ModelSpec, reason: str) -> MissingModel:
    return MissingModel(
        f"the speech model {spec.name} {reason}",
        hint=f"Run: vidbench models pull {spec.name}",
        file=spec.path,
    )


def _cut(audio: NDArray[np.float32], span: Span) -> NDArray[np.float32]:
    return audio[round(span[0] * SPEECH_RATE) : round(span[1] * SPEECH_RATE)]


def _line(segment: Any, language: str, offset: float, bounds: Span) -> SpeechLine:
    """A segment as a line whose times lie within *bounds*: after the line before, within the stretch."""
    start, end = _clamped(offset + segment.start, offset + segment.end, bounds)
    return SpeechLine(
        text=segment.text.strip(),
        start_time=start,
        end_time=end,
        words=_words(segment.words or (), offset, (start, end)),
        language=language,
        confidence=min(math.exp(segment.avg_logprob), 1.0),
        no_speech=float(segment.no_speech_prob),
    )


def _words(words: Any, offset: float, bounds: Span) -> tuple[Word, ...]:
    """Words in order and inside their line: alignment by attention sometimes steps outside or back."""
    sane: list[Word] = []
    earliest, latest = bounds
    for word in words:
        start, end = _clamped(offset + word.start, offset + word.end, (earliest, latest))
        sane.append(
            Word(
                word=word.word.strip(),
                start_time=start,
                end_time=end,
                confidence=min(float(word.probability), 1.0),
            )
        )
        earliest = start
    return tuple(sane)


def _clamped(start: float, end: float, bounds: Span) -> Span:
    # The library hands out numpy's floats, which are no JSON.
    earliest, latest = bounds
    begin = min(max(float(start), earliest), latest)
    return begin, min(max(float(end), begin), latest)
