"""What browsers play is known beforehand."""

from __future__ import annotations

import pytest

from vidbench.media.playable import why_not_playable

MP4 = "mov,mp4,m4a,3gp,3g2,mj2"


@pytest.mark.parametrize(
    ("container", "video", "pixels", "audio"),
    [
        (MP4, "h264", "yuv420p", "aac"),
        (MP4, "h264", "yuv420p10le", "aac"),
        (MP4, "h264", "yuvj420p", ""),
        (MP4, "av1", "yuv420p", "opus"),
        ("matroska,webm", "vp9", "yuv420p", "opus"),
        ("matroska,webm", "h264", "yuv420p", "aac"),
        ("mp3", "", "", "mp3"),
        ("wav", "", "", "pcm_s16le"),
    ],
)
def test_plays(container, video, pixels, audio):
    """Combinations that were seen to play need no proxy."""
    assert why_not_playable(container=container, video=video, pixels=pixels, audio=audio) == ""


@pytest.mark.parametrize(
    ("container", "video", "pixels", "audio", "reason"),
    [
        (MP4, "hevc", "yuv420p", "aac", "hevc"),
        (MP4, "prores", "yuv422p10le", "pcm_s16le", "prores"),
        (MP4, "h264", "yuv422p", "aac", "yuv422p"),
        (MP4, "h264", "yuv420p", "ac3", "ac3 sound"),
        (MP4, "", "", "pcm_s16le", "pcm_s16le"),
        ("avi", "mpeg4", "yuv420p", "mp3", "avi"),
        ("mpegts", "h264", "yuv420p", "aac", "mpegts"),
    ],
)
def test_does_not_play(container, video, pixels, audio, reason):
    """Whatever was seen to fail is named as the reason."""
    why = why_not_playable(container=container, video=video, pixels=pixels, audio=audio)

    assert reason in why
