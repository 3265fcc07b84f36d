"""What is known of a media file before anything has been understood in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

MediaType = Literal["video", "audio", "image"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamFacts:
    """One stream of a container, as the demuxer and decoder report it.

    Attributes:
        index: position in the container.
        kind: video, audio, subtitle, data or attachment.
        codec: FFmpeg's codec name (``h264``); empty where none is known.
        time_base: seconds a tick, as a fraction (``1/90000``).
        start_pts: first presentation time stamp in ticks, None where unset.
        details: what else is worth keeping (profile, pixel format, language, channels ...).
    """

    index: int
    kind: str
    codec: str
    time_base: str
    start_pts: int | None
    details: dict[str, str | int | float | bool | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaFacts:
    """The answer of a probe. Widths and heights are display pixels, after rotation and pixel aspect.

    Attributes:
        media_type: video (moving pictures), audio (sound only) or image (one picture).
        container: FFmpeg's short format name.
        duration_seconds: from the origin to the end of the last frame or sample.
        origin: seconds, as a fraction, that are subtracted from every time stamp: the file's time zero.
        video_index: stream used for pictures, None where there is none.
        audio_index: stream used for sound, None where there is none.
        width: display pixels.
        height: display pixels.
        rotation: degrees clockwise applied for display: 0, 90, 180 or 270.
        pixel_aspect: width of a stored pixel over its height, as a fraction.
        frame_rate: frames a second on average, as a fraction; None without video.
        variable_frame_rate: whether neighbouring frames lie at differing distances.
        has_audio: whether there is sound to transcribe.
        video_codec: codec of the chosen video stream, empty where none.
        audio_codec: codec of the chosen audio stream, empty where none.
        audio_offset: seconds between time zero and the first sound.
        browser_playable: whether current browsers play pictures and sound without a proxy.
        why_not_playable: the reason where they do not.
        streams: every stream.
        warnings: what was odd, in words (truncated, broken index ...).
    """

    media_type: MediaType
    container: str
    duration_seconds: float
    origin: str
    video_index: int | None
    audio_index: int | None
    width: int
    height: int
    rotation: int
    pixel_aspect: str
    frame_rate: str | None
    variable_frame_rate: bool
    has_audio: bool
    video_codec: str
    audio_codec: str
    audio_offset: float
    browser_playable: bool
    why_not_playable: str
    streams: tuple[StreamFacts, ...]
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """A file of the workspace: content, with the place where it lies.

    Attributes:
        file_id: UUID, derived from the content.
        fingerprint: hash of size, head, middle and tail.
        filename: the name a person knows it by.
        path: where it was last seen.
        bytes: size.
        created_at: Unix ms.
        facts: the probe's answer.
    """

    file_id: str
    fingerprint: str
    filename: str
    path: str
    bytes: int
    created_at: int
    facts: MediaFacts
