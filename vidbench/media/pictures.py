"""Pictures out of decoded frames: small and raw for arithmetic, upright on square pixels for people."""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

import numpy as np

from vidbench.media.streams import Display

if TYPE_CHECKING:
    from av.video.frame import VideoFrame
    from av.video.reformatter import VideoReformatter
    from numpy.typing import NDArray

    from vidbench.contract.media import MediaFacts

JPEG_QUALITY = 90


class Pictures:
    """Makes pictures out of the frames of one stream; each kind keeps its scaler.

    Args:
        width: pixels of a stored frame; frames of another size are scaled as if they had it.
        height: pixels of a stored frame.
        display: how a frame is shown.
    """

    def __init__(self, width: int, height: int, display: Display) -> None:
        self.width, self.height, self.display = width, height, display
        self._scalers: dict[tuple[int, int, str], VideoReformatter] = {}

    def bgr(self, frame: VideoFrame, width: int) -> NDArray[np.uint8]:
        """The stored picture, neither turned nor stretched, *width* pixels wide and never larger than it is.

        Scaled by swscale's fast bilinear filter, which costs less than converting the full picture
        first, as PySceneDetect's command line does before it scales.
        """
        factor = max(self.width / max(width, 1), 1.0)
        size = max(1, round(self.width / factor)), max(1, round(self.height / factor))
        return self._scaled(frame, size, "bgr24", "FAST_BILINEAR")

    def grey(self, frame: VideoFrame, size: tuple[int, int]) -> NDArray[np.uint8]:
        """The stored picture's brightness at *size* (width, height), averaged over areas."""
        return self._scaled(frame, size, "gray", "AREA")

    def shown(self, frame: VideoFrame, max_width: int) -> NDArray[np.uint8]:
        """The picture as people see it, at most *max_width* wide: upright, on square pixels, in RGB."""
        fitted = self.display.fitted(max_width)
        stored = self._scaled(frame, fitted.stored_size, "rgb24", "BICUBIC")
        return np.rot90(stored, k=-(fitted.rotation // 90))

    def _scaled(self, frame: VideoFrame, size: tuple[int, int], pixels: str, filter_name: str) -> NDArray[np.uint8]:
        from av.video.reformatter import VideoReformatter

        scaler = self._scalers.setdefault((*size, pixels), VideoReformatter())
        width, height = size
        scaled = scaler.reformat(frame, width=width, height=height, format=pixels, interpolation=filter_name, threads=1)
        return scaled.to_ndarray().astype(np.uint8, copy=False)


def pictures_of(facts: MediaFacts) -> Pictures:
    """Makes pictures out of the frames of a probed file."""
    if facts.video_index is None:
        return Pictures(0, 0, Display(0, 0, 0))
    stored = facts.streams[facts.video_index].details
    display = Display(facts.width, facts.height, facts.rotation)
    return Pictures(int(stored["width"] or 0), int(stored["height"] or 0), display)


@dataclass(frozen=True, slots=True)
class SeenFrame:
    """A frame of the pass as observers get it.

    Args:
        time: seconds, by the clock.
        pts: time stamp in ticks of the stream.
        frame: the decoded frame.
        pictures: makes pictures of it.
    """

    time: float
    pts: int
    frame: VideoFrame
    pictures: Pictures

    @property
    def width(self) -> int:
        """Stored pixels; the same for all frames of a pass."""
        return self.pictures.width

    @property
    def height(self) -> int:
        """Stored pixels; the same for all frames of a pass."""
        return self.pictures.height

    def bgr(self, width: int) -> NDArray[np.uint8]:
        """The stored picture as [height, width, 3] of 8-bit blue, green, red; see :meth:`Pictures.bgr`."""
        return self.pictures.bgr(self.frame, width)


def jpeg(picture: NDArray[np.uint8], *, quality: int = JPEG_QUALITY) -> bytes:
    """*picture*, [height, width, 3] RGB, as a JPEG file; equal pictures give equal bytes."""
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(np.ascontiguousarray(picture)).save(buffer, "JPEG", quality=quality)
    return buffer.getvalue()
