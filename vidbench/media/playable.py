"""Whether a browser plays a file as it is, or needs a proxy.

The rules are what Chromium 156 was seen to play: H.264 with 4:2:0 pixels (8 and 10 bit), VP8, VP9 and
AV1, with AAC, MP3, Opus, Vorbis or FLAC, in MP4, QuickTime, Matroska or WebM. HEVC and ProRes load
without an error and show nothing, AC-3 is silent, AVI, MPEG-TS, FLV and ASF are not opened.
"""

from __future__ import annotations

CONTAINERS = frozenset({"mov", "mp4", "m4a", "webm", "matroska", "mp3", "wav", "flac", "ogg"})
VIDEO_CODECS = frozenset({"h264", "vp8", "vp9", "av1"})
AUDIO_CODECS = frozenset({"aac", "mp3", "opus", "vorbis", "flac"})
PLAIN_AUDIO_CODECS = frozenset({"pcm_s16le", "pcm_s24le", "pcm_u8", "pcm_f32le"})
PIXEL_FORMATS = frozenset({"yuv420p", "yuvj420p", "yuv420p10le"})


def why_not_playable(*, container: str, video: str, pixels: str, audio: str) -> str:
    """Why a browser would need a proxy; empty where it plays the file itself.

    Args:
        container: FFmpeg's format name (``mov,mp4,m4a,3gp,3g2,mj2``).
        video: codec of the pictures, empty where there are none.
        pixels: pixel format of the pictures.
        audio: codec of the sound, empty where there is none.

    Example:
        >>> why_not_playable(container="mov,mp4", video="hevc", pixels="yuv420p", audio="aac")
        'browsers do not show hevc pictures'
        >>> why_not_playable(container="matroska,webm", video="vp9", pixels="yuv420p", audio="opus")
        ''
    """
    names = set(container.split(","))
    if not names & CONTAINERS:
        return f"browsers do not open {container} files"
    if video and video not in VIDEO_CODECS:
        return f"browsers do not show {video} pictures"
    if video and pixels not in PIXEL_FORMATS:
        return f"browsers do not show {pixels} pixels"
    plain = PLAIN_AUDIO_CODECS if "wav" in names else frozenset()
    if audio and audio not in AUDIO_CODECS | plain:
        return f"browsers do not play {audio} sound"
    return ""
