"""Cuts, shots and segments from a stored score curve, by PySceneDetect's own detectors.

``find_cuts`` is the one function that says where the cuts are: the segmentation stage and ``retune`` both call it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from vidbench.contract.segmentation import CONTENT_THRESHOLD, ShotDetectorConfig

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vidbench.perception.curve import Curve

ADAPTIVE_THRESHOLD = 3.0
ADAPTIVE_WINDOW = 2
ADAPTIVE_MIN_CONTENT = 15.0
"""Defaults of PySceneDetect's ``detect-adaptive``: ratio to the neighbours, neighbours a side, least score."""

Span = tuple[float, float]
"""``[start, end)`` in seconds."""


def find_cuts(curve: Curve, config: ShotDetectorConfig, frame_rate: Fraction) -> list[float]:
    """The times of the first frames of new shots, as ``scenedetect detect-content`` or ``detect-adaptive`` find them.

    Args:
        curve: scores of the file's frames.
        config: detector, threshold and shortest shot.
        frame_rate: frames a second on average; the command line turns the shortest shot into frames with it.

    Returns:
        Rising times, each of them one of the curve's own.

    Example:
        >>> from vidbench.perception.curve import Curve
        >>> scores = np.array([0.0] * 20 + [90.0] + [0.0] * 19)
        >>> curve = Curve(np.arange(40) / 10, np.repeat(scores[:, None], 3, axis=1))
        >>> find_cuts(curve, ShotDetectorConfig(threshold=30), Fraction(10))
        [2.0]
    """
    from scenedetect.common import FrameTimecode

    scores = curve.scores
    shortest = round(config.min_seconds * frame_rate)
    detector = _detector(config, shortest)
    cuts: list[float] = []
    for index in _telling(curve.times, scores, config, (shortest + 1) / float(frame_rate)):
        timecode = FrameTimecode(float(curve.times[index]), frame_rate)
        cuts += [cut.seconds for cut in detector.process_frame(timecode, float(scores[index]))]
    return sorted(set(cuts))


def shots_of(cuts: list[float], start: float, end: float) -> list[Span]:
    """The stretches between cuts from *start* to *end*; neighbours share the same boundary value.

    Example:
        >>> shots_of([2.0, 5.0], 0.0, 7.5)
        [(0.0, 2.0), (2.0, 5.0), (5.0, 7.5)]
    """
    inside = [cut for cut in cuts if start < cut < end]
    return list(zip([start, *inside], [*inside, end], strict=True))


def segments_of(shots: list[Span], config: ShotDetectorConfig) -> list[Span]:
    """Segments from shots: too short ones joined or left out, too long ones cut into equal parts.

    A shot below ``min_seconds`` (the end of the file, or of the range asked for, can leave one) joins the segment
    before it, the first one the segment after it; without ``fill_gaps`` it is left out.

    Example:
        >>> config = ShotDetectorConfig(max_seconds=4)
        >>> segments_of([(0.0, 3.0), (3.0, 9.0), (9.0, 9.5)], config)
        [(0.0, 3.0), (3.0, 6.25), (6.25, 9.5)]
    """
    whole = _joined(shots, config.min_seconds) if config.fill_gaps else _long(shots, config.min_seconds)
    return [part for span in whole for part in _parts(span, config.max_seconds)]


def _joined(shots: list[Span], shortest: float) -> list[Span]:
    joined: list[Span] = []
    for start, end in shots:
        before = joined[-1] if joined else None
        if before and (end - start < shortest or before[1] - before[0] < shortest):
            joined[-1] = (before[0], end)
        else:
            joined.append((start, end))
    return joined


def _long(shots: list[Span], shortest: float) -> list[Span]:
    return [(start, end) for start, end in shots if end - start >= shortest]


def _parts(span: Span, longest: float) -> list[Span]:
    start, end = span
    count = math.ceil((end - start) / longest)
    borders = [start + (end - start) * number / count for number in range(count)]
    return list(zip(borders, [*borders[1:], end], strict=True))


def _telling(
    times: NDArray[np.float64],
    scores: NDArray[np.float64],
    config: ShotDetectorConfig,
    longest_wait: float,
) -> NDArray[np.intp]:
    """The frames that can change what the detector says; it answers all others with nothing.

    Shown only these, a detector finds the same cuts, on the project's clip in a sixth to a ninth of the time. The
    adaptive one compares a frame with its neighbours once it reaches the least score; the content one waits, after a
    frame above the threshold, for the first frame that is at least the shortest shot later: by *longest_wait*, a
    frame more, any rounding is past.
    """
    if config.chosen == "adaptive":
        near = _spread(scores >= ADAPTIVE_MIN_CONTENT)
    else:
        above = scores >= _threshold(config)
        since = times - _latest(times, above)
        waiting = since <= longest_wait
        near = waiting | np.concatenate(([False], waiting[:-1]))
    near[:1] = True
    return np.flatnonzero(near)


def _spread(chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
    near = chosen.copy()
    for distance in range(1, ADAPTIVE_WINDOW + 1):
        near[distance:] |= chosen[:-distance]
        near[:-distance] |= chosen[distance:]
    return near


def _latest(times: NDArray[np.float64], above: NDArray[np.bool_]) -> NDArray[np.float64]:
    """For each frame the time of the latest frame above the threshold, itself included; -inf before the first."""
    latest: NDArray[np.float64] = np.maximum.accumulate(np.where(above, times, -np.inf))
    return latest


def _threshold(config: ShotDetectorConfig) -> float:
    return CONTENT_THRESHOLD if config.threshold is None else config.threshold


def _detector(config: ShotDetectorConfig, shortest: int) -> Any:
    if config.chosen == "adaptive":
        return _on_scores("AdaptiveDetector")(
            adaptive_threshold=ADAPTIVE_THRESHOLD,
            min_scene_len=shortest,
            window_width=ADAPTIVE_WINDOW,
            min_content_val=ADAPTIVE_MIN_CONTENT,
        )
    return _on_scores("ContentDetector")(threshold=_threshold(config), min_scene_len=shortest)


@cache
def _on_scores(name: str) -> type[Any]:
    """PySceneDetect's detector *name*, given stored scores in the place of pictures."""
    from scenedetect import detectors

    def stored(_detector: Any, _timecode: Any, score: float) -> float:
        return score

    return type(f"Stored{name}", (getattr(detectors, name),), {"_calculate_frame_score": stored})
