"""The streams of a container: what they are, which to use, and how their pictures are shown."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from vidbench.contract.media import StreamFacts

if TYPE_CHECKING:
    from av.audio.stream import AudioStream
    from av.container import InputContainer
    from av.stream import Stream
    from av.video.stream import VideoStream

UNKNOWN_TIME_BASE = Fraction(1, 1_000_000)
Detail = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Display:
    """How a stored picture is shown: its size on square pixels, upright.

    Args:
        width: display pixels, after rotation.
        height: display pixels, after rotation.
        rotation: degrees clockwise that turn the stored picture upright: 0, 90, 180 or 270.
    """

    width: int
    height: int
    rotation: int

    def fitted(self, max_width: int) -> Display:
        """The same picture no wider than *max_width*; never larger than it is.

        Example:
            >>> Display(1920, 1080, 0).fitted(320)
            Display(width=320, height=180, rotation=0)
        """
        if self.width <= max_width:
            return self
        height = max(1, round(self.height * max_width / self.width))
        return Display(max_width, height, self.rotation)

    @property
    def stored_size(self) -> tuple[int, int]:
        """Width and height before it is turned upright."""
        turned = self.rotation in {90, 270}
        return (self.height, self.width) if turned else (self.width, self.height)


def display_of(width: int, height: int, aspect: Fraction, rotation: int) -> Display:
    """How stored pixels of *aspect* (width over height) are shown; the stored height is kept.

    Example:
        >>> display_of(640, 360, Fraction(2, 3), 90)
        Display(width=360, height=427, rotation=90)
    """
    shown = max(1, round(width * aspect))
    size = (height, shown) if rotation in {90, 270} else (shown, height)
    return Display(*size, rotation)


def clockwise(counter_clockwise: int) -> int | None:
    """A display matrix's angle as degrees clockwise, None where it is no quarter turn.

    FFmpeg gives degrees counter-clockwise, and the smallest integer for a matrix that is no rotation
    (``av_display_rotation_get``).

    Example:
        >>> clockwise(-90), clockwise(90), clockwise(-2147483648)
        (90, 270, None)
    """
    angle = -counter_clockwise % 360
    return angle if angle in {0, 90, 180, 270} and abs(counter_clockwise) <= 360 else None


def pixel_aspect(stream: VideoStream) -> Fraction:
    """Width of a stored pixel over its height; 1 where the file does not say or says nonsense."""
    aspect = stream.sample_aspect_ratio or stream.codec_context.sample_aspect_ratio
    return aspect if aspect and Fraction(1, 20) <= aspect <= 20 else Fraction(1)


def video_candidates(container: InputContainer) -> list[VideoStream]:
    """Moving pictures, the largest first; cover art and other attached pictures are none."""
    from av.stream import Disposition

    streams = [s for s in container.streams.video if not s.disposition & Disposition.attached_pic]
    return sorted(streams, key=_picture_rank)


def audio_candidates(container: InputContainer) -> list[AudioStream]:
    """Sound: FFmpeg's own choice first (default flag, frames, bit rate), the others by position."""
    from av.audio.stream import AudioStream

    best = container.streams.best("audio")
    others = [stream for stream in container.streams.audio if stream is not best]
    return [best, *others] if isinstance(best, AudioStream) else others


def _picture_rank(stream: VideoStream) -> tuple[int, bool, bool, int]:
    from av.stream import Disposition

    known = stream.codec_context is not None
    area = stream.codec_context.width * stream.codec_context.height if known else 0
    preferred = bool(stream.disposition & Disposition.default)
    return -area, stream.frames == 0 and stream.average_rate is None, not preferred, stream.index


def stream_facts(stream: Stream) -> StreamFacts:
    """One stream as the contract says it."""
    return StreamFacts(
        index=stream.index,
        kind=stream.type,
        codec=codec_name(stream),
        time_base=str(stream.time_base or UNKNOWN_TIME_BASE),
        start_pts=stream.start_time,
        details={name: value for name, value in _details(stream).items() if value is not None},
    )


def codec_name(stream: Stream) -> str:
    """FFmpeg's name of the codec, not of the decoder (``av1``, not ``libdav1d``); empty where unknown."""
    context = stream.codec_context
    return context.codec.canonical_name if context is not None else ""


def _details(stream: Stream) -> dict[str, Detail]:
    details: dict[str, Detail] = {"language": stream.metadata.get("language")}
    details["title"] = stream.metadata.get("title")
    context = stream.codec_context
    if context is not None:
        details["profile"] = context.profile
    return details | _video_details(stream) | _audio_details(stream)


def _video_details(stream: Stream) -> dict[str, Detail]:
    from av.stream import Disposition
    from av.video.stream import VideoStream

    if not isinstance(stream, VideoStream) or stream.codec_context is None:
        return {}
    return {
        "width": stream.codec_context.width,
        "height": stream.codec_context.height,
        "pixel_format": stream.codec_context.pix_fmt,
        "pixel_aspect": str(pixel_aspect(stream)),
        "frame_rate": str(stream.average_rate) if stream.average_rate else None,
        "attached_picture": bool(stream.disposition & Disposition.attached_pic) or None,
    }


def _audio_details(stream: Stream) -> dict[str, Detail]:
    from av.audio.stream import AudioStream

    if not isinstance(stream, AudioStream) or stream.codec_context is None:
        return {}
    return {
        "sample_rate": stream.codec_context.sample_rate,
        "channels": stream.codec_context.channels,
    }
