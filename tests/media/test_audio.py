"""Sound lies where the file's clock says."""

from __future__ import annotations

import wave
from fractions import Fraction

import av
import numpy as np
import pytest

from vidbench.errors import StoreError
from vidbench.media.audio import RATE, AudioTrack, load_audio
from vidbench.media.clock import Clock

BASE = Fraction(1, 48000)


def track(folder, *, origin=Fraction(0), length=100.0):
    return AudioTrack(folder, Clock(origin, BASE), length=length)


def sound(pts, *, samples=4800, rate=48000, layout="mono", value=8000):
    channels = 2 if layout == "stereo" else 1
    array = np.full((1, samples * channels), value, np.int16)
    frame = av.AudioFrame.from_ndarray(array, format="s16", layout=layout)
    frame.sample_rate, frame.pts, frame.time_base = rate, pts, BASE
    return frame


def written(folder, frames, **options):
    made = track(folder, **options)
    for frame in frames:
        made.take(frame)
    note = made.finish()
    return load_audio(folder / note.path) if note else None


def loud(samples, begin, end):
    return float(np.abs(samples[int(begin * RATE) : int(end * RATE)]).mean())


def test_length_and_level(tmp_path):
    """A second of sound at another rate stays a second, at the same level."""
    samples = written(tmp_path, [sound(pts) for pts in range(0, 48000, 4800)])

    assert len(samples) == pytest.approx(RATE, abs=2)
    assert samples.dtype == np.float32
    assert loud(samples, 0.1, 0.9) == pytest.approx(8000 / 32768, rel=0.01)


def test_late_sound_is_preceded_by_silence(tmp_path):
    """Sound that starts after time zero keeps its place."""
    samples = written(tmp_path, [sound(96000)])

    assert len(samples) == pytest.approx(2.1 * RATE, abs=2)
    assert loud(samples, 0, 1.99) == 0
    assert loud(samples, 2.02, 2.08) > 0.2


def test_early_sound_is_left_out(tmp_path):
    """What lies before time zero is not there, and the rest keeps its place."""
    frames = [sound(0, value=8000), sound(4800, value=8000), sound(9600, value=16000)]

    samples = written(tmp_path, frames, origin=Fraction(2, 10))

    assert len(samples) == pytest.approx(0.1 * RATE, abs=2)
    assert loud(samples, 0.02, 0.08) == pytest.approx(16000 / 32768, rel=0.01)


def test_gaps_are_filled(tmp_path):
    """After a gap in the stream, sound goes on at its own time."""
    samples = written(tmp_path, [sound(0), sound(48000)])

    assert len(samples) == pytest.approx(1.1 * RATE, abs=2)
    assert loud(samples, 0.2, 0.9) == 0
    assert loud(samples, 1.02, 1.08) > 0.2


def test_small_jitter_is_ignored(tmp_path):
    """Time stamps that are rounded or jitter by milliseconds leave no holes."""
    frames = [sound(pts + jitter) for pts, jitter in zip(range(0, 48000, 4800), [0, 90, -90] * 4, strict=False)]

    samples = written(tmp_path, frames)

    assert len(samples) == pytest.approx(RATE, abs=2)
    assert np.abs(samples[200:-200]).min() > 0.2


def test_absurd_time_stamps_fill_no_disk(tmp_path):
    """A time stamp far beyond the file's length makes no hours of silence."""
    samples = written(tmp_path, [sound(0), sound(48000 * 3600 * 26), sound(9600)], length=1.0)

    assert len(samples) == pytest.approx(0.3 * RATE, abs=4)


def test_sound_without_time_stamps(tmp_path):
    """Frames without a time follow the one before."""
    samples = written(tmp_path, [sound(0), sound(None), sound(None)])

    assert len(samples) == pytest.approx(0.3 * RATE, abs=2)


def test_shape_may_change(tmp_path):
    """A stream that changes its rate and channels in the middle goes on."""
    frames = [sound(0), sound(4800, samples=2205, rate=22050, layout="stereo")]

    samples = written(tmp_path, frames)

    assert len(samples) == pytest.approx(0.2 * RATE, abs=4)
    assert loud(samples, 0.12, 0.18) > 0.2


def test_no_sound_no_file(tmp_path):
    """Where nothing was heard, nothing is left behind."""
    assert written(tmp_path, []) is None
    assert list(tmp_path.iterdir()) == []


def test_abandoned_leaves_nothing(tmp_path):
    """A pass that stops leaves no half file."""
    made = track(tmp_path)
    made.take(sound(0))
    made.abandon()

    assert list(tmp_path.iterdir()) == []


def test_stretches(tmp_path):
    """A stretch is the same as a slice of the whole, also beyond the end."""
    samples = written(tmp_path, [sound(pts, value=pts // 10) for pts in range(0, 48000, 4800)])
    path = tmp_path / "audio.wav"

    assert np.array_equal(load_audio(path, start=0.25, end=0.5), samples[4000:8000])
    assert np.array_equal(load_audio(path, start=0.5), samples[8000:])
    assert len(load_audio(path, start=5.0, end=6.0)) == 0


def test_any_player_can_read_it(tmp_path):
    """The file is a plain WAV."""
    written(tmp_path, [sound(0)])

    with wave.open(str(tmp_path / "audio.wav")) as reader:
        assert (reader.getframerate(), reader.getnchannels(), reader.getsampwidth()) == (RATE, 1, 2)


def test_bad_files(tmp_path):
    """An absent, foreign or differently sampled file is a clear error."""
    (tmp_path / "text").write_text("hello")
    with wave.open(str(tmp_path / "other.wav"), "wb") as other:
        other.setnchannels(2)
        other.setsampwidth(2)
        other.setframerate(44100)

    for name in ("absent", "text", "other.wav"):
        with pytest.raises(StoreError) as caught:
            load_audio(tmp_path / name)
        assert name in caught.value.file
