"""The sound of a file as 16 kHz mono, on the file's own clock.

Sample *n* of the artifact lies at ``n / 16000`` seconds from time zero: late sound is preceded by
silence, gaps are filled with it, and what lies before time zero is left out. Rate, sample format and
resampler are those of faster-whisper's own reader, so a model hears the same samples.
"""

from __future__ import annotations

import wave
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from vidbench.errors import StoreError
from vidbench.media.artifacts import GrowingArtifact, store_errors
from vidbench.media.clock import Clock

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.audio.resampler import AudioResampler
    from numpy.typing import NDArray

    from vidbench.contract.work import ArtifactNote

RATE = 16_000
"""Hz; what speech models are trained on."""
NAME = "audio.wav"
SAMPLE_BYTES = 2
GAP_SECONDS = 0.1
"""Time stamps that are off by less are rounding or codec delay; from here on silence is added or sound dropped."""
SLACK_SECONDS = 10
"""A time stamp this far beyond the file's length is broken, not a gap."""
SILENCE_SAMPLES = 60 * RATE


class AudioTrack:
    """Takes decoded sound in order and writes it as one WAV file.

    Args:
        folder: the run's folder.
        clock: of the stream.
        length: seconds of the file; nothing is written far beyond it.
    """

    def __init__(self, folder: Path, clock: Clock, *, length: float) -> None:
        self._artifact = GrowingArtifact(folder, NAME, "audio")
        self._wave = _open_wave(self._artifact.file)
        self._clock = clock
        self._limit = length + SLACK_SECONDS
        self._resampler: AudioResampler | None = None
        self._shape: tuple[str, str, int] | None = None
        self._next: float | None = None
        self._drop = 0
        self.samples = 0

    @property
    def seconds(self) -> float:
        """How much has been written."""
        return self.samples / RATE

    def take(self, frame: AudioFrame) -> None:
        """Append *frame* at its time."""
        if frame.samples == 0 or frame.sample_rate <= 0:
            return
        shape = (frame.format.name, frame.layout.name, frame.sample_rate)
        if shape != self._shape:
            self._drain()
            self._shape = shape
        self._align(frame.pts)
        self._next = (self._next or 0.0) + frame.samples / frame.sample_rate
        # The resampler refuses frames whose time stamps do not follow one another; time is kept here.
        frame.pts = None
        self._write(self._resampling().resample(frame))

    def finish(self) -> ArtifactNote | None:
        """Write what the resampler holds back and put the file in place; None where there was no sound."""
        self._drain()
        if self.samples == 0:
            self.abandon()
            return None
        with store_errors(self._artifact.target):
            self._wave.close()
        return self._artifact.commit()

    def abandon(self) -> None:
        """Leave nothing behind."""
        # The writer would complain about its closed file when it is collected.
        with suppress(OSError):
            self._wave.close()
        self._artifact.abandon()

    def _resampling(self) -> AudioResampler:
        from av.audio.resampler import AudioResampler

        if self._resampler is None:
            self._resampler = AudioResampler(format="s16", layout="mono", rate=RATE)
        return self._resampler

    def _align(self, pts: int | None) -> None:
        """Make the next sample fall on its time where the stream jumps."""
        if pts is None:
            return
        due = self._clock.seconds(pts)
        follows = self._next is not None and abs(due - self._next) < GAP_SECONDS
        if follows or due > self._limit:
            return
        self._drain()
        self._next = due
        missing = round(due * RATE) - self.samples
        self._silence(max(missing, 0))
        self._drop = max(-missing, 0)

    def _drain(self) -> None:
        if self._resampler is not None:
            self._write(self._resampler.resample(None))
            self._resampler = None

    def _silence(self, samples: int) -> None:
        for begin in range(0, samples, SILENCE_SAMPLES):
            self._put(bytes(SAMPLE_BYTES * min(SILENCE_SAMPLES, samples - begin)))

    def _write(self, frames: list[AudioFrame]) -> None:
        for frame in frames:
            samples = frame.to_ndarray().reshape(-1)
            dropped = min(self._drop, len(samples))
            self._drop -= dropped
            self._put(samples[dropped:].astype("<i2", copy=False).tobytes())

    def _put(self, samples: bytes) -> None:
        with store_errors(self._artifact.target):
            self._wave.writeframesraw(samples)
        self.samples += len(samples) // SAMPLE_BYTES


def _open_wave(file: BinaryIO) -> wave.Wave_write:
    writer = wave.open(file, "wb")  # noqa: SIM115 -- it grows until the pass ends
    writer.setnchannels(1)
    writer.setsampwidth(SAMPLE_BYTES)
    writer.setframerate(RATE)
    return writer


def load_audio(path: str | Path, *, start: float = 0.0, end: float | None = None) -> NDArray[np.float32]:
    """Samples of a scan's audio file between two times; the file is mapped, only the stretch is read.

    Args:
        path: the audio artifact of a scan.
        start: seconds.
        end: seconds; None for the end of the file.

    Returns:
        Mono samples at 16 kHz, -1 to 1; empty where the stretch lies beyond the sound.

    Raises:
        StoreError: the file is absent or is none that a scan wrote.
    """
    samples = map_samples(path)
    first, last = round(start * RATE), None if end is None else round(end * RATE)
    return samples[max(first, 0) : last].astype(np.float32) / np.float32(32768)


def map_samples(path: str | Path) -> NDArray[np.int16]:
    """All samples of a scan's audio file as 16-bit integers, mapped and not read.

    Raises:
        StoreError: the file is absent or is none that a scan wrote.
    """
    try:
        with Path(path).open("rb") as file, wave.open(file) as reader:
            shape = (reader.getnchannels(), reader.getsampwidth(), reader.getframerate())
            count, offset = reader.getnframes(), file.tell()
    except (OSError, EOFError, wave.Error) as error:
        raise _unreadable(path, str(error)) from error
    if shape != (1, SAMPLE_BYTES, RATE):
        raise _unreadable(path, "it is not 16 kHz mono")
    if count == 0:
        return np.empty(0, np.int16)
    return np.memmap(path, "<i2", "r", offset=offset, shape=(count,))


def _unreadable(path: str | Path, reason: str) -> StoreError:
    return StoreError(
        f"the sound {path} cannot be read ({reason})",
        hint="Describe the file again; its sound is then extracted anew.",
        file=str(path),
    )
