"""Readings of one picture after another, put together to texts with a first and a last sighting.

The same text is read a little differently from frame to frame, and once in a while not at all. Readings that are
nearly the same, at about the same place, are one text; the best reading stands for it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import Any

from vidbench.contract.describe import SceneText

MIN_CONFIDENCE = 0.8
"""Readings below are dropped. On the project's clip titles and credits come at 0.86 and above, patterns read as words
mostly below."""
MIN_CHARACTERS = 2
"""Letters and digits that make a text: single ones are mostly shapes."""
SAME_RATIO = 0.75
"""Share of equal letters (Ratcliff and Obershelp, as ``difflib`` counts) from which two readings are one text."""
NEAR = 0.15
"""How far the middles of two boxes may lie apart, as a fraction of the picture, for text that moves or grows."""
MAX_MISSES = 1
"""Pictures in a row that may lack a text in between."""


@dataclass(frozen=True, slots=True)
class Track:
    """A text that may still be on the screen.

    Attributes:
        text: its best reading.
        missing_since: time of the first picture after the last sighting, None while it is seen.
        misses: pictures in a row that lacked it.
    """

    text: SceneText
    missing_since: float | None = None
    misses: int = 0


class TextTracks:
    """The texts on the screen; closed ones come out as rows in the order in which they end.

    Example:
        >>> tracks = TextTracks()
        >>> tracks.see(1.0, [SceneText(text="THE END", start_time=0, end_time=0)])
        []
        >>> [(text.text, text.start_time, text.end_time) for text in tracks.finish(5.0)]
        [('THE END', 1.0, 5.0)]
    """

    def __init__(self, state: Iterable[dict[str, Any]] = ()) -> None:
        self._open = [_restored(one) for one in state]

    def see(self, time: float, readings: Iterable[SceneText]) -> list[SceneText]:
        """Take the readings of the picture at *time*, and give the texts that have ended before it.

        A text ends at the first picture that no longer shows it, unless the next one shows it again.
        """
        fresh = [one for one in readings if _is_text(one)]
        kept: list[Track] = []
        for track in self._open:
            match = _best_match(track.text, fresh)
            if match is not None:
                fresh.remove(match)
            kept.append(_seen(track, match) if match else _missed(track, time))
        new = [Track(replace(one, start_time=time, end_time=time)) for one in fresh]
        self._open = [track for track in kept if track.misses <= MAX_MISSES] + new
        return [_ended(track, time) for track in kept if track.misses > MAX_MISSES]

    def finish(self, end: float) -> list[SceneText]:
        """The texts still open, those on the screen ending with the media at *end*."""
        ended = [_ended(track, end) for track in self._open]
        self._open = []
        return ended

    def state(self) -> list[dict[str, Any]]:
        """The open texts as JSON, for a checkpoint; ``TextTracks(state)`` goes on from it."""
        return [
            {
                "text": track.text.text,
                "start": track.text.start_time,
                "confidence": track.text.confidence,
                "box": list(track.text.box),
                "missing_since": track.missing_since,
                "misses": track.misses,
            }
            for track in self._open
        ]


def same_text(one: SceneText, other: SceneText) -> bool:
    """Whether two readings are of one text: nearly the same letters, the same digits, about the same place.

    Digits must be equal, for a clock shows a new text each time. A text that is being written is the same text as its
    beginning.

    Example:
        >>> read = lambda text: SceneText(text=text, start_time=0, end_time=0)
        >>> same_text(read("WANNA WORK"), read("WANNAWQRK")), same_text(read("01:02"), read("01:03"))
        (True, False)
    """
    return _near(one, other) and _alike(_letters(one.text), _letters(other.text))


def _alike(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(short) > MIN_CHARACTERS and long.startswith(short):
        return True
    if re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= SAME_RATIO


def _near(one: SceneText, other: SceneText) -> bool:
    if _overlap(one.box, other.box):
        return True
    (left, top), (right, bottom) = _middle(one.box), _middle(other.box)
    return abs(left - right) <= NEAR and abs(top - bottom) <= NEAR


def _overlap(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    """Whether the middle of either box lies in the other."""
    return _holds(one, _middle(other)) or _holds(other, _middle(one))


def _holds(box: tuple[float, ...], point: tuple[float, float]) -> bool:
    left, top, right, bottom = box
    return left <= point[0] <= right and top <= point[1] <= bottom


def _middle(box: tuple[float, ...]) -> tuple[float, float]:
    left, top, right, bottom = box
    return (left + right) / 2, (top + bottom) / 2


def _letters(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def _is_text(reading: SceneText) -> bool:
    return reading.confidence >= MIN_CONFIDENCE and len(_letters(reading.text)) >= MIN_CHARACTERS


def _best_match(text: SceneText, readings: list[SceneText]) -> SceneText | None:
    wanted = _letters(text.text)
    same = [one for one in readings if same_text(text, one)]
    return max(
        same,
        key=lambda one: SequenceMatcher(None, wanted, _letters(one.text), autojunk=False).ratio(),
        default=None,
    )


def _seen(track: Track, reading: SceneText) -> Track:
    best = max(track.text, reading, key=_worth)
    return Track(replace(best, start_time=track.text.start_time))


def _worth(reading: SceneText) -> float:
    """Expected letters read right: a longer reading of growing text beats a surer one of its beginning."""
    return reading.confidence * len(_letters(reading.text))


def _missed(track: Track, time: float) -> Track:
    since = time if track.missing_since is None else track.missing_since
    return replace(track, missing_since=since, misses=track.misses + 1)


def _ended(track: Track, time: float) -> SceneText:
    return replace(track.text, end_time=time if track.missing_since is None else track.missing_since)


def _restored(state: dict[str, Any]) -> Track:
    text = SceneText(
        text=state["text"],
        start_time=state["start"],
        end_time=state["start"],
        confidence=state["confidence"],
        box=tuple(state["box"]),
    )
    return Track(text, state["missing_since"], state["misses"])
