"""What a media file is: streams, codecs, length, size as shown, rate, sound, and what is odd about it.

The header is believed only where a decoded frame and the last packets agree with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, cast

from vidbench.contract.media import MediaFacts, MediaType, StreamFacts
from vidbench.media.extent import Extent, extent
from vidbench.media.looks import Look, look
from vidbench.media.opening import not_media, open_media
from vidbench.media.playable import why_not_playable
from vidbench.media.streams import (
    Display,
    audio_candidates,
    clockwise,
    display_of,
    stream_facts,
    video_candidates,
)

if TYPE_CHECKING:
    from av.video.frame import VideoFrame

AUDIO_PACKETS = 2
LEAD_SECONDS = 0.1
"""Sound that starts this much before the first picture is worth a warning: it is not analysed."""
LENGTH_SECONDS = 1.0
"""A header that is off by more is worth a warning; codec delay and edit lists account for less."""
RATE_FACTOR = 1.5
"""A header whose frame rate is off by more is not believed."""


@dataclass(frozen=True, slots=True)
class _Header:
    container: str
    streams: tuple[StreamFacts, ...]
    video: tuple[int, ...]
    audio: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Chosen:
    index: int | None
    look: Look | None
    warnings: tuple[str, ...]


def probe(path: Path) -> MediaFacts:
    """Find out what the file at *path* is, from its header, first frames and last packets.

    Args:
        path: a local file; its name may hold any character.

    Returns:
        Facts in display pixels and seconds from the origin (see :mod:`vidbench.media.clock`).

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is no regular file, or it may not be read.
        MediaError: it holds no picture and no sound that can be decoded, or it is encrypted.

    Example:
        >>> from pathlib import Path
        >>> probe(Path("/no/such/file.mp4"))
        Traceback (most recent call last):
        vidbench.errors.NotFound: no such file: /no/such/file.mp4. Check the path.
    """
    header = _header(path)
    video = _choose(path, header.video, "pictures")
    audio = _choose(path, header.audio, "sound", packets=AUDIO_PACKETS)
    if video.look is None and audio.look is None:
        raise not_media(path, _why_nothing(header))
    return _facts(path, header, video, audio)


def _header(path: Path) -> _Header:
    with open_media(path) as container:
        return _Header(
            container=container.format.name,
            streams=tuple(stream_facts(stream) for stream in container.streams),
            video=tuple(stream.index for stream in video_candidates(container)),
            audio=tuple(stream.index for stream in audio_candidates(container)),
        )


def _choose(path: Path, indexes: tuple[int, ...], what: str, **options: int) -> _Chosen:
    warnings: list[str] = []
    for index in indexes:
        found = look(path, index, **options)
        if found is not None:
            return _Chosen(index, found, tuple(warnings))
        warnings.append(f"stream {index} holds no {what} that can be decoded")
    return _Chosen(None, None, tuple(warnings))


def _why_nothing(header: _Header) -> str:
    if not header.video and not header.audio:
        return f"the {header.container} file holds neither pictures nor sound"
    return "none of its pictures or sound can be decoded"


def _facts(path: Path, header: _Header, video: _Chosen, audio: _Chosen) -> MediaFacts:
    origin = _origin(video.look, audio.look)
    chosen = [index for index in (video.index, audio.index) if index is not None]
    found = extent(path, chosen, step=video.look.step if video.look else Fraction(0))
    offset = float(audio.look.start - origin) if audio.look else 0.0
    display, aspect, picture_warnings = _picture(header, video)
    rate = _rate(header, video)
    video_codec = _codec(header, video.index)
    audio_codec = _codec(header, audio.index)
    pixels = cast("VideoFrame", video.look.frame).format.name if video.look else ""
    why_not = why_not_playable(container=header.container, video=video_codec, pixels=pixels, audio=audio_codec)
    return MediaFacts(
        media_type=_media_type(header, video),
        container=header.container,
        duration_seconds=max(float(found.end - origin), 0.0),
        origin=str(origin),
        video_index=video.index,
        audio_index=audio.index,
        width=display.width,
        height=display.height,
        rotation=display.rotation,
        pixel_aspect=str(aspect),
        frame_rate=str(rate) if rate else None,
        variable_frame_rate=video.look.varies if video.look else False,
        has_audio=audio.look is not None,
        video_codec=video_codec,
        audio_codec=audio_codec,
        audio_offset=offset,
        browser_playable=not why_not,
        why_not_playable=why_not,
        streams=header.streams,
        warnings=(
            *video.warnings,
            *audio.warnings,
            *picture_warnings,
            *_length_warnings(found, origin),
            *_lead_warnings(offset),
        ),
    )


def _origin(video: Look | None, audio: Look | None) -> Fraction:
    first = video or audio
    return first.start if first else Fraction(0)


def _media_type(header: _Header, video: _Chosen) -> MediaType:
    if video.look is None:
        return "audio"
    return "image" if header.container.endswith("_pipe") else "video"


def _codec(header: _Header, index: int | None) -> str:
    return header.streams[index].codec if index is not None else ""


def _picture(header: _Header, video: _Chosen) -> tuple[Display, Fraction, tuple[str, ...]]:
    if video.look is None or video.index is None:
        return Display(0, 0, 0), Fraction(1), ()
    frame = cast("VideoFrame", video.look.frame)
    aspect = Fraction(str(header.streams[video.index].details["pixel_aspect"]))
    turned = clockwise(frame.rotation)
    warnings = () if turned is not None else ("its rotation is no quarter turn and is ignored",)
    return display_of(frame.width, frame.height, aspect, turned or 0), aspect, warnings


def _rate(header: _Header, video: _Chosen) -> Fraction | None:
    """The header's average, unless the first packets contradict it or it says nothing."""
    if video.look is None or video.index is None:
        return None
    seen = video.look.rate
    said = header.streams[video.index].details.get("frame_rate")
    if said is None or (seen and not video.look.varies and not _alike(Fraction(str(said)), seen)):
        return seen
    return Fraction(str(said))


def _alike(one: Fraction, other: Fraction) -> bool:
    return max(one, other) < RATE_FACTOR * min(one, other)


def _length_warnings(found: Extent, origin: Fraction) -> tuple[str, ...]:
    if not found.measured:
        return ("its length is the header's word: the end could not be reached quickly",)
    if found.declared is None or abs(found.declared - found.end) <= LENGTH_SECONDS:
        return ()
    said, seen = float(found.declared - origin), float(found.end - origin)
    return (f"the header says {said:.2f} s, but its media end at {seen:.2f} s",)


def _lead_warnings(offset: float) -> tuple[str, ...]:
    if offset >= -LEAD_SECONDS:
        return ()
    return (f"{-offset:.2f} s of sound before the first picture are left out",)
