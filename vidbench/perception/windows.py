"""Where sound is cut: long windows to work through, and in them the stretches where somebody speaks.

Both are cut at silences, so that no word is in two halves, and both are pure functions: the same sound is cut at the
same places, whoever resumes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vidbench.perception.protocols import SPEECH_RATE
from vidbench.perception.shots import Span

if TYPE_CHECKING:
    from numpy.typing import NDArray

WINDOW_SECONDS = 600.0
"""A long window: what is held in memory at once, and has one language."""
SEARCH_SECONDS = 120.0
"""How far before its end the quietest place of a window is looked for."""
QUIET_SECONDS = 0.5
"""Length of that place."""
STEP_SECONDS = 0.1

SILENCE_SECONDS = 5.0
"""A silence above this is left out: Whisper writes sentences of its own into long ones."""
MARGIN_SECONDS = 1.0
"""What is kept of such a silence beside the speech, for quiet beginnings and ends of words."""


def plan_windows(samples: NDArray[np.int16] | NDArray[np.float32]) -> list[Span]:
    """Windows of at most ten minutes that cover *samples*, cut at the quietest half second of their last two minutes.

    Args:
        samples: mono, 16 kHz; may be mapped, only the stretches that are searched are read.

    Returns:
        Windows in seconds; neighbours share their border. None where there is no sound.

    Example:
        >>> plan_windows(np.zeros(16_000 * 90, dtype=np.int16))
        [(0.0, 90.0)]
    """
    duration = len(samples) / SPEECH_RATE
    borders = [0.0]
    while duration - borders[-1] > WINDOW_SECONDS:
        latest = borders[-1] + WINDOW_SECONDS
        borders.append(_quietest(samples, latest - SEARCH_SECONDS, latest))
    return list(zip(borders, [*borders[1:], duration], strict=True)) if duration else []


def plan_stretches(speech: list[Span], duration: float) -> list[Span]:
    """Stretches that cover the speech and leave out long silences, but for a second beside the speech.

    Args:
        speech: where somebody speaks, rising, as a voice activity detector finds it.
        duration: seconds of sound.

    Example:
        >>> plan_stretches([(1.0, 20.0), (22.0, 29.0), (40.0, 43.0)], 60.0)
        [(0.0, 30.0), (39.0, 44.0)]
    """
    stretches: list[Span] = []
    for start, end in speech:
        before = stretches[-1][1] if stretches else 0.0
        if stretches and start - before <= SILENCE_SECONDS:
            stretches[-1] = (stretches[-1][0], end)
        else:
            begin = 0.0 if not stretches and start <= SILENCE_SECONDS else start - MARGIN_SECONDS
            stretches.append((begin, end))
    return [(begin, _after(end, duration)) for begin, end in stretches]


def _after(end: float, duration: float) -> float:
    # Nothing is cut off a short rest, so that short recordings are heard whole.
    return duration if duration - end <= SILENCE_SECONDS else end + MARGIN_SECONDS


def _quietest(samples: NDArray[np.int16] | NDArray[np.float32], start: float, end: float) -> float:
    """Seconds of the middle of the quietest half second between *start* and *end*; the latest of equals."""
    step = round(STEP_SECONDS * SPEECH_RATE)
    first = round(start * SPEECH_RATE)
    stretch = np.asarray(samples[first : round(end * SPEECH_RATE)], dtype=np.float64)
    energy = np.square(stretch[: len(stretch) // step * step]).reshape(-1, step).mean(axis=1)
    width = round(QUIET_SECONDS / STEP_SECONDS)
    sums = np.convolve(energy, np.ones(width), mode="valid")
    at = len(sums) - 1 - int(np.argmin(sums[::-1]))
    return (first + (at * step) + width * step // 2) / SPEECH_RATE
