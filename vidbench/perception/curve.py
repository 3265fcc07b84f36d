"""The score curve: how much each frame differs from the one before it, kept so that cuts can be found again.

The arithmetic is PySceneDetect's ContentDetector (BSD-3-Clause, https://www.scenedetect.com): the mean absolute
difference of hue, saturation and brightness of neighbouring frames, on frames made as small as its command line makes
them. Both of its detectors decide from these numbers alone, so a stored curve answers every threshold.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol
from zipfile import BadZipFile

import numpy as np

from vidbench.contract.work import ArtifactNote
from vidbench.errors import StoreError
from vidbench.media.artifacts import write_artifact

if TYPE_CHECKING:
    from numpy.typing import NDArray

LONG_SIDE = 256
"""Pixels of the longer side of a scored frame: the command line's default (``DEFAULT_MIN_WIDTH``)."""

COMPONENTS = ("delta_hue", "delta_sat", "delta_lum")
"""Columns of the stored components, by PySceneDetect's names; its edge component has weight 0 and is not computed."""

KIND = "curve"


class Picture(Protocol):
    """What the scan shows an observer: a frame, its time and its size."""

    @property
    def time(self) -> float:
        """Seconds."""
        ...

    @property
    def width(self) -> int:
        """Pixels."""
        ...

    @property
    def height(self) -> int:
        """Pixels."""
        ...

    def bgr(self, width: int) -> NDArray[np.uint8]:
        """The picture *width* pixels wide, as [height, width, 3] of 8-bit blue, green, red."""
        ...


class ScoreObserver:
    """Scores every frame of a scan and leaves a curve file a chunk.

    Example:
        >>> observer = ScoreObserver()
        >>> observer.flush(Path("unused"), 0)
        []
    """

    def __init__(self) -> None:
        self._last: Sequence[NDArray[np.uint8]] | None = None
        self._times: list[float] = []
        self._components: list[tuple[float, float, float]] = []

    def prime(self, frame: Picture) -> None:
        """Take *frame* as the one before the first of this chunk, without scoring it."""
        self._last = _planes(frame)

    def see(self, frame: Picture) -> None:
        """Score *frame* against the one before it; a file's first frame scores 0."""
        planes = _planes(frame)
        self._times.append(frame.time)
        self._components.append(_differences(planes, self._last))
        self._last = planes

    def flush(self, folder: Path, chunk_index: int) -> list[ArtifactNote]:
        """Write what was scored since the last flush as ``curve-<chunk>.npz``; nothing where nothing was."""
        if not self._times:
            return []
        times = np.array(self._times, dtype=np.float64)
        components = np.array(self._components, dtype=np.float64)
        self._times, self._components = [], []

        def write(file: BinaryIO) -> None:
            np.savez(file, times=times, components=components)

        return [write_artifact(folder, f"{KIND}-{chunk_index:04d}.npz", KIND, write)]


@dataclass(frozen=True, slots=True)
class Curve:
    """The scores of a file's frames.

    Attributes:
        times: seconds of each frame, rising.
        components: [frames, 3] mean differences, 0 to 255, in the order of ``COMPONENTS``.

    Example:
        >>> curve = Curve(np.array([0.0, 0.5]), np.array([[0.0, 0.0, 0.0], [30.0, 60.0, 90.0]]))
        >>> curve.scores.tolist()
        [0.0, 60.0]
    """

    times: NDArray[np.float64]
    components: NDArray[np.float64]

    @classmethod
    def load(cls, paths: Iterable[str | Path]) -> Curve:
        """The curve of the chunk files *paths*, in their order; no paths give an empty curve.

        Raises:
            StoreError: a file is absent or damaged.
        """
        chunks = [_read(Path(path)) for path in paths]
        if not chunks:
            return cls(np.empty(0), np.empty((0, len(COMPONENTS))))
        times, components = zip(*chunks, strict=True)
        return cls(np.concatenate(times), np.concatenate(components))

    @property
    def scores(self) -> NDArray[np.float64]:
        """ContentDetector's score of each frame: the mean of the components, its default weights."""
        hue, saturation, brightness = self.components.T
        # Summed in this order and divided once, the floats equal the detector's own to the last bit.
        scores: NDArray[np.float64] = (hue + saturation + brightness) / float(len(COMPONENTS))
        return scores


def scored_size(width: int, height: int) -> tuple[int, int]:
    """Pixels of a frame when it is scored: its longer side becomes 256, small ones stay as they are.

    Example:
        >>> scored_size(1280, 720), scored_size(1080, 1920), scored_size(160, 120)
        ((256, 144), (144, 256), (160, 120))
    """
    factor = max(1.0, max(width, height) / float(LONG_SIDE))
    return max(1, round(width / factor)), max(1, round(height / factor))


def _planes(frame: Picture) -> Sequence[NDArray[np.uint8]]:
    import cv2

    # Whole first, then made small by OpenCV: scaled by another filter, fast pictures lie beyond the threshold at
    # other frames than with the command line (seen on an animated film).
    whole = frame.bgr(frame.width)
    small = cv2.resize(whole, scored_size(whole.shape[1], whole.shape[0]), interpolation=cv2.INTER_LINEAR)
    planes: Sequence[Any] = cv2.split(cv2.cvtColor(small, cv2.COLOR_BGR2HSV))
    return planes


def _differences(
    planes: Sequence[NDArray[np.uint8]], last: Sequence[NDArray[np.uint8]] | None
) -> tuple[float, float, float]:
    # A stream may change its size midway; PySceneDetect leaves such frames out, here they are no cut.
    if last is None or planes[0].shape != last[0].shape:
        return (0.0, 0.0, 0.0)
    import cv2

    # The L1 norm is the detector's sum of absolute differences, in integers and so exact, at a tenth of the time.
    size = float(planes[0].size)
    hue, saturation, brightness = (
        cv2.norm(now, before, cv2.NORM_L1) / size for now, before in zip(planes, last, strict=True)
    )
    return hue, saturation, brightness


def _read(path: Path) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    try:
        with np.load(path, allow_pickle=False) as arrays:
            return arrays["times"], arrays["components"]
    except (OSError, ValueError, KeyError, EOFError, BadZipFile) as error:
        raise StoreError(
            f"the score curve {path.name} cannot be read",
            hint="Scan the file again.",
            file=str(path),
        ) from error
