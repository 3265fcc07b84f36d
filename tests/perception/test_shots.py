"""Cuts, shots and segments."""

import csv
import json
import subprocess
import sys
import time
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perception.frames import scanned

from vidbench.contract.segmentation import ShotDetectorConfig
from vidbench.perception import shots
from vidbench.perception.curve import Curve
from vidbench.perception.shots import find_cuts, segments_of, shots_of

OWN_CLIP_CONTENT = [
    28.462, 35.969, 36.67, 37.538, 63.363, 67.935, 73.574,
    83.383, 96.697, 103.804, 105.072, 115.849, 117.417, 126.46,
]  # fmt: skip
"""What `scenedetect detect-content list-scenes` (0.7.2, its defaults) prints for the project's clip."""


def curve(scores, rate=25.0):
    """A curve of *scores* at a steady rate."""
    values = np.repeat(np.asarray(scores, dtype=np.float64)[:, None], 3, axis=1)
    return Curve(np.arange(len(scores)) / rate, values)


def every_frame(times, *_rest):
    """The choice of a detector that is shown all frames."""
    return np.arange(len(times))


config = st.builds(
    ShotDetectorConfig,
    threshold=st.sampled_from([5.0, 27.0, 60.0]),
    min_seconds=st.sampled_from([0.6, 1.0, 3.0]),
) | st.builds(ShotDetectorConfig, min_seconds=st.sampled_from([0.6, 1.0, 3.0]))
scores = st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 4.0, 14.9, 15.0, 27.0, 45.0, 90.0]), max_size=200)


@given(scores=scores, config=config, rate=st.sampled_from([2.0, 10.0, 25.0]))
@settings(max_examples=150, deadline=None)
def test_frames_left_out_change_nothing(scores, config, rate):
    """A detector shown only the telling frames finds the cuts of one that is shown all of them."""
    with pytest.MonkeyPatch.context() as patch:
        fast = find_cuts(curve(scores, rate), config, Fraction(rate))
        patch.setattr(shots, "_telling", every_frame)
        assert find_cuts(curve(scores, rate), config, Fraction(rate)) == fast


def test_two_hours_take_a_moment():
    """A long film's curve gives its cuts within two seconds of computing, so that a threshold can be tried."""
    random = np.random.default_rng(3)
    values = random.gamma(1.5, 2.0, 2 * 3600 * 25)
    values[random.integers(0, len(values), 1500)] = 60.0
    film = curve(values)
    find_cuts(curve([0.0]), ShotDetectorConfig(), Fraction(25))
    begun = time.process_time()
    cuts = find_cuts(film, ShotDetectorConfig(threshold=27), Fraction(25))
    assert time.process_time() - begun < 2.0
    assert len(cuts) > 1000


def test_a_cut_has_a_time_of_the_curve():
    """Cuts are the curve's own floats, not frame numbers over a rate."""
    times = np.array([0.0, 0.1, 0.25, 1.1234567, 1.3, 2.0, 2.2])
    values = np.repeat(np.array([0, 0, 0, 80.0, 0, 0, 0])[:, None], 3, axis=1)
    assert find_cuts(Curve(times, values), ShotDetectorConfig(threshold=30), Fraction(5)) == [1.1234567]


@pytest.mark.parametrize("wish", [ShotDetectorConfig(), ShotDetectorConfig(threshold=27)])
def test_no_frames_have_no_cuts(wish):
    """An empty curve is no error."""
    assert find_cuts(curve([]), wish, Fraction(25)) == []


def test_a_lower_threshold_finds_more():
    """The threshold is read."""
    values = [0.0] * 30 + [20.0] + [0.0] * 30 + [50.0] + [0.0] * 30
    found = [len(find_cuts(curve(values), ShotDetectorConfig(threshold=t), Fraction(25))) for t in (10, 30, 60)]
    assert found == [2, 1, 0]


def test_cuts_too_near_are_merged():
    """Cuts nearer than the shortest shot become one."""
    values = [0.0] * 30 + [50.0] + [0.0] * 5 + [50.0] + [0.0] * 60
    cuts = find_cuts(curve(values), ShotDetectorConfig(threshold=30, min_seconds=0.6), Fraction(25))
    assert cuts == [30 / 25]


def test_hard_cuts_are_found_to_the_frame(shared_media, tmp_path):
    """Both detectors find all 13 hard cuts of the test film at their very frames, and no other."""
    truth = json.loads((shared_media / "shots" / "hardcuts_14.truth.json").read_text())
    facts, paths = scanned(shared_media / "shots" / "hardcuts_14.mp4", tmp_path)
    for wish in (ShotDetectorConfig(), ShotDetectorConfig(threshold=27)):
        cuts = find_cuts(Curve.load(paths), wish, Fraction(facts["frame_rate"]))
        assert cuts == [frame / truth["fps"] for frame in truth["hard_cuts_frames"]]


def test_no_cut_is_found_where_none_is(shared_media, tmp_path):
    """The control without cuts has none."""
    facts, paths = scanned(shared_media / "shots" / "no_cut_control.mp4", tmp_path)
    for wish in (ShotDetectorConfig(), ShotDetectorConfig(threshold=27)):
        assert find_cuts(Curve.load(paths), wish, Fraction(facts["frame_rate"])) == []


@pytest.mark.parametrize("name", ["hardcuts_14.mp4", "gradual_13.mp4"])
def test_cuts_are_those_of_the_command_line(shared_media, tmp_path, name):
    """`scenedetect` itself, at the same settings, prints the same times."""
    facts, paths = scanned(shared_media / "shots" / name, tmp_path)
    for detector in ("adaptive", "content"):
        wish = ShotDetectorConfig(detector=detector)
        cuts = find_cuts(Curve.load(paths), wish, Fraction(facts["frame_rate"]))
        expected = command_line(shared_media / "shots" / name, detector, tmp_path)
        assert [round(cut, 3) for cut in cuts] == expected


def test_cuts_of_the_own_clip_are_those_of_the_command_line(clip, tmp_path):
    """The animated clip, many of whose frames lie close to the threshold, gives what the command line printed."""
    facts, paths = scanned(clip, tmp_path)
    cuts = find_cuts(Curve.load(paths), ShotDetectorConfig(detector="content"), Fraction(facts["frame_rate"]))
    assert [round(cut, 3) for cut in cuts] == OWN_CLIP_CONTENT


@given(
    cuts=st.lists(st.floats(0.1, 99.9), unique=True, max_size=20).map(sorted),
    wish=st.builds(
        ShotDetectorConfig,
        min_seconds=st.floats(0.6, 10),
        max_seconds=st.floats(10, 60),
        fill_gaps=st.just(value=True),
    ),
)
def test_filled_segments_cover_everything(cuts, wish):
    """Joined and divided segments leave no gap, share their borders, and keep to the longest length."""
    segments = segments_of(shots_of(cuts, 0.0, 100.0), wish)
    assert segments[0][0] == 0.0
    assert segments[-1][1] == 100.0
    for (_, end), (start, _) in pairwise(segments):
        assert end == start
    assert all(0 < end - start <= wish.max_seconds * (1 + 1e-9) for start, end in segments)


def test_short_shots_are_left_out_without_filling():
    """Without fill_gaps a short shot leaves a gap."""
    wish = ShotDetectorConfig(min_seconds=1, fill_gaps=False)
    assert segments_of([(0.0, 5.0), (5.0, 5.5), (5.5, 9.0)], wish) == [(0.0, 5.0), (5.5, 9.0)]


def test_a_short_first_shot_joins_the_next():
    """A range that starts just before a cut does not begin with a sliver."""
    assert segments_of([(0.0, 0.2), (0.2, 4.0)], ShotDetectorConfig()) == [(0.0, 4.0)]


def test_shots_keep_to_the_range():
    """Cuts outside the range, and on its ends, are none of its own."""
    assert shots_of([1.0, 2.0, 3.0], 1.0, 3.0) == [(1.0, 2.0), (2.0, 3.0)]


def command_line(path: Path, detector: str, folder: Path) -> list[float]:
    """Seconds of the cuts that `scenedetect` lists."""
    command = [sys.executable, "-m", "scenedetect", "-q", "-i", str(path), "-o", str(folder)]
    list_scenes = ["list-scenes", "-q", "-f", f"{detector}.csv"]
    subprocess.run([*command, f"detect-{detector}", *list_scenes], check=True, capture_output=True)
    with (folder / f"{detector}.csv").open(newline="") as file:
        rows = [row for row in csv.reader(file) if row and row[0].isdigit()]
    return [round(float(row[3]), 3) for row in rows][1:]
