"""Uniform windows."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.contract.segmentation import UniformConfig
from vidbench.perception.uniform import windows_of

seconds = st.floats(1, 120)


@given(window=seconds, hop=st.none() | seconds, start=st.floats(0, 50), length=st.floats(0, 600))
def test_windows_lie_at_every_hop(window, hop, start, length):
    """Windows start a hop apart, none is longer than asked for, and none leaves the range."""
    end = start + length
    windows = windows_of(UniformConfig(window_seconds=window, hop_seconds=hop), start, end)
    for number, (begin, stop) in enumerate(windows):
        assert begin == pytest.approx(start + number * (hop or window))
        assert start <= begin < stop <= end
        assert stop - begin <= window + 1e-5


@given(window=seconds, length=st.floats(0.01, 2000))
def test_touching_windows_share_their_borders(window, length):
    """Without a hop the windows cover the range, and neighbours share one value."""
    windows = windows_of(UniformConfig(window_seconds=window), 0.0, length)
    assert windows[0][0] == 0.0
    assert windows[-1][1] == length
    assert [end for _, end in windows[:-1]] == [begin for begin, _ in windows[1:]]


def test_the_last_window_may_be_shorter():
    """The rest of the media is kept."""
    assert windows_of(UniformConfig(window_seconds=20), 0, 41)[-1] == (40, 41)


def test_overlapping_windows_end_with_the_first_that_reaches_the_end():
    """The same rest is not told twice."""
    config = UniformConfig(window_seconds=20, hop_seconds=5)
    assert windows_of(config, 0, 30) == [(0, 20), (5, 25), (10, 30)]


def test_a_hop_above_the_window_leaves_gaps():
    """Samples of the media are possible too."""
    config = UniformConfig(window_seconds=2, hop_seconds=10)
    assert windows_of(config, 5, 30) == [(5, 7), (15, 17), (25, 27)]


def test_an_empty_range_has_no_window():
    """Nothing comes of nothing."""
    assert windows_of(UniformConfig(), 3.0, 3.0) == []
