"""Which frames are worth reading for scene text.

Reading text in a frame costs a thousand times what decoding it does, so only frames that show something new are kept:
four times a second the picture, made small and grey, is compared with the last frame kept and with the
look before. A frame is kept where it differs from the last one kept *and stands still*, for text that is
meant to be read does; where nothing stands still one is kept every six seconds. The last look of a file
is kept too where it differs, because no later one can.

The thresholds were set on the project's own clip: 68 frames are kept of its 181 seconds, and with them
the titles, credits and licence that its test lists. A text that stands for less than half a second, or
moves all the time and for less than six, may be missed.
"""

from __future__ import annotations

import base64
import math
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

GRID = (96, 54)
"""Cells across and down that a picture is compared on."""
LOOK_SECONDS = 0.25
CELL_DIFFERENCE = 24
"""A cell of 0 to 255 has changed when it is off by more; compression noise is less."""
NEW_SHARE = 0.0075
"""A frame is new when more than this share of its cells differ from the last one kept: half a line of text."""
STILL_SHARE = 0.002
"""A frame stands still when no more than this share of its cells differ from the look before."""
MOVING_SECONDS = 6.0


def crossed(step: float, before: float | None, now: float) -> bool:
    """Whether a multiple of *step* lies between two neighbouring times, the second included.

    Example:
        >>> crossed(2.0, None, 0.3), crossed(2.0, 1.9, 2.0), crossed(2.0, 2.0, 2.1)
        (True, True, False)
    """
    return before is None or math.floor(now / step) != math.floor(before / step)


class SampleChooser:
    """Decides look by look; its state can be put away and taken up again.

    Args:
        every: seconds that lie between two kept frames at least.
    """

    def __init__(self, every: float) -> None:
        self._every = every
        self._kept: NDArray[np.uint8] | None = None
        self._kept_at = -math.inf
        self._before: NDArray[np.uint8] | None = None

    def keeps(self, time: float, grey: NDArray[np.uint8]) -> bool:
        """Whether the frame at *time* is kept; call it for every look, in order."""
        chosen = self._is_new(time, grey)
        self._before = grey
        if chosen:
            self._kept, self._kept_at = grey, time
        return chosen

    def misses(self, grey: NDArray[np.uint8]) -> bool:
        """Whether nothing like the last look has been kept: at a file's end there is no waiting."""
        return self._kept is None or _changed(grey, self._kept) > NEW_SHARE

    def state(self) -> dict[str, Any]:
        """What a later chooser needs to go on, as JSON."""
        if self._kept is None or self._before is None:
            return {}
        return {"kept": _packed(self._kept), "at": self._kept_at, "before": _packed(self._before)}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what :meth:`state` gave."""
        if state:
            self._kept, self._before = _unpacked(state["kept"]), _unpacked(state["before"])
            self._kept_at = state["at"]

    def _is_new(self, time: float, grey: NDArray[np.uint8]) -> bool:
        if self._kept is None or self._before is None:
            return True
        waited = time - self._kept_at
        if waited < self._every or _changed(grey, self._kept) <= NEW_SHARE:
            return False
        return waited >= MOVING_SECONDS or _changed(grey, self._before) <= STILL_SHARE


def _changed(one: NDArray[np.uint8], other: NDArray[np.uint8]) -> float:
    return float((np.abs(one.astype(np.int16) - other) > CELL_DIFFERENCE).mean())


def _packed(grey: NDArray[np.uint8]) -> str:
    return base64.b64encode(zlib.compress(grey.tobytes())).decode()


def _unpacked(text: str) -> NDArray[np.uint8]:
    width, height = GRID
    cells = np.frombuffer(zlib.decompress(base64.b64decode(text)), np.uint8)
    return cells.reshape(height, width)
