"""Long windows and stretches of speech."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.perception.windows import (
    MARGIN_SECONDS,
    SILENCE_SECONDS,
    WINDOW_SECONDS,
    plan_stretches,
    plan_windows,
)

RATE = 16_000


def loud(seconds, *quiet):
    """Noise that falls silent for a second at each of *quiet*."""
    samples = np.random.default_rng(5).integers(-9000, 9000, int(seconds * RATE), dtype=np.int16)
    for at in quiet:
        samples[int(at * RATE) : int((at + 1) * RATE)] //= 500
    return samples


def test_short_sound_is_one_window():
    """Sound that fits is not cut."""
    assert plan_windows(loud(30)) == [(0.0, 30.0)]


def test_no_sound_has_no_window():
    """Nothing comes of nothing."""
    assert plan_windows(np.empty(0, np.int16)) == []


def test_long_sound_is_cut_where_it_is_quiet():
    """The border lies in the silence of the last two minutes, and neighbours share it."""
    windows = plan_windows(loud(1300, 520.0, 1100.0))
    assert [start for start, _ in windows[1:]] == [end for _, end in windows[:-1]]
    assert 520.0 < windows[0][1] < 521.0
    assert 1100.0 < windows[1][1] < 1101.0
    assert windows[-1][1] == 1300.0


def test_silence_is_cut_late():
    """Where all is equally quiet the windows are as long as they may be."""
    windows = plan_windows(np.zeros(1250 * RATE, np.int16))
    assert windows[0][1] == pytest.approx(WINDOW_SECONDS, abs=1.0)
    assert len(windows) == 3


def test_samples_of_both_kinds_are_cut_alike():
    """Integers and floats of the same sound have the same windows."""
    samples = loud(700, 555.0)
    assert plan_windows(samples) == plan_windows(samples.astype(np.float32) / 32768)


@st.composite
def recordings(draw):
    """Stretches of speech in a recording, and its length."""
    edges = sorted(draw(st.lists(st.floats(0, 500), min_size=2, max_size=20, unique=True)))
    speech = list(zip(edges[::2], edges[1::2], strict=False))
    return speech, draw(st.floats(edges[-1], edges[-1] + 60))


@given(recordings())
def test_all_speech_is_heard_and_long_silence_is_not(recording):
    """Stretches cover the speech, rise, stay inside the sound, and hold no silence above the limit."""
    speech, duration = recording
    stretches = plan_stretches(speech, duration)
    for start, end in speech:
        assert any(begin <= start and end <= stop for begin, stop in stretches)
    assert all(0.0 <= begin < stop <= duration for begin, stop in stretches)
    for (_, stop), (begin, _) in pairwise(stretches):
        assert begin - stop > SILENCE_SECONDS - 2 * MARGIN_SECONDS - 1e-9


def test_a_short_recording_is_heard_whole():
    """Nothing is cut off where the silences are short."""
    assert plan_stretches([(1.2, 3.0), (5.0, 8.8)], 10.0) == [(0.0, 10.0)]


def test_music_has_no_stretch():
    """Where nobody speaks nothing is transcribed."""
    assert plan_stretches([], 60.0) == []
