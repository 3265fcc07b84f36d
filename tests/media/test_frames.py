"""The frame at a time is exactly that frame."""

from __future__ import annotations

from io import BytesIO

import av
import numpy as np
import pytest
from PIL import Image

from vidbench.errors import InvalidInput, MediaError
from vidbench.media.clock import clock_of
from vidbench.media.frames import frame_at
from vidbench.media.pictures import jpeg, pictures_of
from vidbench.media.probe import probe


def decoded(path, facts, every, max_width):
    """Some frames by decoding everything from the start: (seconds, JPEG)."""
    clock, pictures = clock_of(facts, facts.video_index), pictures_of(facts)
    found, last = [], None
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(container.streams[facts.video_index])):
            if frame.pts is None or (last is not None and frame.pts <= last):
                continue
            last = frame.pts
            if number % every == 0:
                found.append((clock.seconds(frame.pts), jpeg(pictures.shown(frame, max_width))))
    return found


def test_each_frame_by_its_time(clip):
    """Asked for a frame's own time, or a moment later, one gets that frame and no neighbour."""
    facts = probe(clip)
    frames = decoded(clip, facts, 397, 160)

    assert len(frames) > 10
    for seconds, expected in frames:
        assert frame_at(clip, facts, seconds, max_width=160) == expected
        assert frame_at(clip, facts, seconds + 0.02, max_width=160) == expected


@pytest.mark.parametrize(
    "name",
    [
        "clips/nasa_13013.mp4",
        "clips/lecture_av.mov",
        "odd/drv_audio_delayed_2s.mp4",
        "odd/fate_oneminute.avi",
        "odd/mb_edts.mp4",
        "odd/mb_no-aud.ts",
        "odd/rails_rotated_video.mp4",
        "odd/sff_awesome_movie.mov",
        "odd/tc_av1_video.mkv",
        "odd/tika_testWMV.wmv",
    ],
)
def test_other_containers(shared_media, name):
    """The same holds for other containers, late starts, edit lists and variable rates."""
    path = shared_media / name
    facts = probe(path)

    for seconds, expected in decoded(path, facts, 29, 120):
        assert frame_at(path, facts, seconds, max_width=120) == expected


def test_ends(clip):
    """The first time gives the first frame, the duration the last one."""
    facts = probe(clip)
    frames = decoded(clip, facts, 1, 64)

    assert frame_at(clip, facts, 0.0, max_width=64) == frames[0][1]
    assert frame_at(clip, facts, facts.duration_seconds, max_width=64) == frames[-1][1]


def test_truncated_file(shared_media):
    """The end of a file that was cut off still has a frame."""
    path = shared_media / "odd" / "drv_truncated_60pct.mp4"
    facts = probe(path)

    assert frame_at(path, facts, facts.duration_seconds)


def test_size(shared_media):
    """The picture is upright, no wider than asked, and never enlarged."""
    path = shared_media / "odd" / "php_portrait.MOV"
    facts = probe(path)

    assert Image.open(BytesIO(frame_at(path, facts, 1.0, max_width=100))).size == (100, 178)
    assert Image.open(BytesIO(frame_at(path, facts, 1.0))).size == (320, 568)
    assert np.asarray(Image.open(BytesIO(frame_at(path, facts, 1.0)))).std() > 10


@pytest.mark.parametrize("seconds", [-0.1, 181.0, float("nan"), float("inf")])
def test_times_outside(clip, seconds):
    """A time outside the file is refused, with the range."""
    with pytest.raises(InvalidInput, match="runs from 0 to 180") as caught:
        frame_at(clip, probe(clip), seconds)
    assert caught.value.field == "seconds"


def test_width_of_nothing(clip):
    """A width below one pixel is refused."""
    with pytest.raises(InvalidInput) as caught:
        frame_at(clip, probe(clip), 1.0, max_width=0)
    assert caught.value.field == "max_width"


def test_sound_has_no_frames(shared_media):
    """A file of sound says that it has no pictures."""
    path = shared_media / "odd" / "drv_audio_only.m4a"

    with pytest.raises(MediaError, match="sound only"):
        frame_at(path, probe(path), 1.0)
