"""A probe tells what a file really is, or says clearly why it cannot."""

from __future__ import annotations

import os
import shutil
import time
from fractions import Fraction

import pytest

from vidbench.contract.media import MediaFacts
from vidbench.contract.validation import parse, to_json
from vidbench.errors import InvalidInput, MediaError, NotFound, VidbenchError
from vidbench.media.probe import probe

SECONDS = 5.0
UNREADABLE = {
    "azure_missing_wav_header.wav",
    "drv_garbage.mp4",
    "fate_mov-frag-encrypted.mp4",
    "ft_fixture-isom.mp4",
    "ft_fixture.ogv",
    "mp4p_invalid_userdata.mp4",
    "mp4p_short-cenc.mp4",
    "mp4p_zero_empty_stsc.mp4",
    "ps_evil.wav",
    "sff_broken.mp4",
}


def odd(shared_media, name):
    return probe(shared_media / "odd" / name)


def test_the_clip(clip):
    """Everything about the project's own clip."""
    facts = probe(clip)

    assert (facts.media_type, facts.video_codec, facts.audio_codec) == ("video", "h264", "aac")
    assert (facts.width, facts.height, facts.rotation, facts.pixel_aspect) == (480, 352, 0, "1")
    assert (facts.video_index, facts.audio_index) == (0, 1)
    assert facts.duration_seconds == pytest.approx(180.2567, abs=1e-3)
    assert float(Fraction(facts.frame_rate)) == pytest.approx(29.97, abs=1e-2)
    assert not facts.variable_frame_rate
    assert facts.has_audio
    assert facts.browser_playable
    assert facts.origin == "0"
    assert facts.warnings == ()


def test_facts_travel_as_json(clip):
    """Facts survive the way through a worker's messages."""
    facts = probe(clip)

    assert parse(MediaFacts, to_json(facts)) == facts


def test_every_file_is_understood_or_refused(shared_media, subtests, capfd):
    """Each odd file gives facts or a clear error, in seconds, without a word on stderr."""
    paths = [path for folder in ("odd", "clips") for path in sorted((shared_media / folder).iterdir())]

    for path in paths:
        with subtests.test(path.name):
            began = time.monotonic()
            found = outcome(path)
            assert time.monotonic() - began < SECONDS
            if path.name in UNREADABLE:
                assert isinstance(found, MediaError)
                assert path.name in str(found)
                assert found.hint
            else:
                check_sense(found)
    assert len(paths) > 80
    assert capfd.readouterr().err == ""


def outcome(path):
    try:
        return probe(path)
    except VidbenchError as error:
        return error


def check_sense(facts):
    assert isinstance(facts, MediaFacts), facts
    assert facts.duration_seconds >= 0
    assert facts.rotation in {0, 90, 180, 270}
    assert (facts.video_index is None) == (facts.width == 0) == (facts.video_codec == "")
    assert facts.has_audio == (facts.audio_index is not None) == bool(facts.audio_codec)
    assert facts.browser_playable == (facts.why_not_playable == "")
    assert facts.video_index is not None or facts.audio_index is not None


def test_probing_again_says_the_same(shared_media):
    """Nothing in the answer depends on chance."""
    paths = sorted((shared_media / "shots").glob("*.mp4"))

    assert [probe(path) for path in paths * 3] == [probe(path) for path in paths] * 3


@pytest.mark.parametrize(
    ("name", "size", "rotation"),
    [
        ("php_portrait.MOV", (320, 568), 90),
        ("psd_issue-134-rotate.mp4", (544, 1280), 90),
        ("dec_video_270.mov", (320, 568), 270),
        ("rails_rotated_video.mp4", (480, 640), 90),
        ("sff_sideways_movie.mov", (480, 640), 90),
    ],
)
def test_rotation(shared_media, name, size, rotation):
    """Width and height are those of the upright picture."""
    facts = odd(shared_media, name)

    assert ((facts.width, facts.height), facts.rotation) == (size, rotation)


@pytest.mark.parametrize(
    ("name", "size", "aspect"),
    [
        ("ae_SAR-2by3.mp4", (427, 360), "2/3"),
        ("mb_sar_2x1.mp4", (1280, 360), "2"),
        ("mp4p_h264_white_frame_sar_16_9.mp4", (1138, 480), "16/9"),
        ("rails_video_with_rectangular_samples.mp4", (1920, 1080), "3/2"),
        ("fate_dvd_single_frame.mp4", (1024, 576), "64/45"),
    ],
)
def test_pixels_that_are_not_square(shared_media, name, size, aspect):
    """Width is that of square pixels."""
    facts = odd(shared_media, name)

    assert ((facts.width, facts.height), facts.pixel_aspect) == (size, aspect)


def test_sound_that_starts_late(shared_media):
    """Time zero is the first picture; the sound's distance from it is told."""
    facts = odd(shared_media, "drv_audio_delayed_2s.mp4")

    assert facts.origin == "417/500"
    assert facts.audio_offset == pytest.approx(2.0 - 0.834)
    assert facts.duration_seconds == pytest.approx(10.177 - 0.834, abs=0.002)


def test_one_frame(shared_media):
    """A single frame lasts as long as it is shown."""
    facts = odd(shared_media, "drv_one_frame.mp4")

    assert facts.duration_seconds == float(Fraction(1001, 30000))
    assert not facts.variable_frame_rate


def test_no_sound(shared_media):
    """Pictures without sound are a video without sound."""
    facts = odd(shared_media, "drv_no_audio.mp4")

    assert (facts.media_type, facts.has_audio, facts.audio_index) == ("video", False, None)


@pytest.mark.parametrize("name", ["drv_audio_only.m4a", "ae_mono.mp3", "m3_sample_eac3.ts"])
def test_sound_only(shared_media, name):
    """Sound without pictures is audio, and has no size."""
    facts = odd(shared_media, name)

    assert (facts.media_type, facts.video_index, facts.width) == ("audio", None, 0)
    assert facts.frame_rate is None
    assert facts.duration_seconds > 0


def test_cover_art_is_no_video(shared_media):
    """A picture attached to sound does not make it a video, nor is it taken for one in a video."""
    sound = odd(shared_media, "mb_malformed-join.mp3")
    video = odd(shared_media, "ae_h264-mjpeg.mkv")

    assert (sound.media_type, sound.video_index) == ("audio", None)
    assert (video.video_index, video.video_codec) == (0, "h264")


def test_empty_track_is_passed_over(shared_media):
    """Of two tracks of the same size the one that holds pictures is used."""
    assert odd(shared_media, "m3_sample_empty_track.mp4").video_index == 0


def test_largest_pictures_are_used(shared_media):
    """Among several videos the largest is chosen."""
    facts = probe(shared_media / "clips" / "nasa_13013.mp4")

    assert (facts.video_index, facts.width, facts.height) == (3, 480, 270)
    assert [stream.kind for stream in facts.streams].count("subtitle") == 2


@pytest.mark.parametrize(
    ("name", "varies"),
    [
        ("sff_awesome_movie.mov", True),
        ("fate_g2m4.mp4", True),
        ("ae_testsrc_with_attachment.mkv", False),
        ("php_portrait.MOV", False),
        ("dec_unordered.mov", False),
    ],
)
def test_variable_frame_rate(shared_media, name, varies):
    """Rounding to a coarse time base does not pass for a variable rate."""
    assert odd(shared_media, name).variable_frame_rate is varies


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("drv_truncated_60pct.mp4", 20.32),
        ("fate_RRSF49-short.mp4", 4.465),
        ("mm_elephants_dream.mkv", 2.017),
        ("mb_annex-b.mp4", 0.463),
    ],
)
def test_truncated(shared_media, name, seconds):
    """A file that was cut off is as long as what is left, and says that its header claims more."""
    facts = odd(shared_media, name)

    assert facts.duration_seconds == pytest.approx(seconds, abs=0.05)
    assert any("header says" in warning for warning in facts.warnings)


def test_edit_list(shared_media):
    """Edit lists are applied: time runs from 0 to the edited length."""
    facts = odd(shared_media, "mb_edts.mp4")

    assert (facts.origin, facts.duration_seconds) == ("0", 9.0)


def test_wrong_rate_in_the_header(shared_media):
    """A header's impossible frame rate gives way to what the packets show."""
    assert 20 < Fraction(odd(shared_media, "fate_RRSF49-short.mp4").frame_rate) < 30


@pytest.mark.parametrize("name", ["mp4p_short-cenc.mp4", "fate_mov-frag-encrypted.mp4"])
def test_encrypted(shared_media, name):
    """Protected media are refused as such."""
    with pytest.raises(MediaError, match="encrypted"):
        odd(shared_media, name)


def test_what_is_no_media(tmp_path):
    """Text, subtitles, playlists and empty files are refused with their name and a remedy."""
    (tmp_path / "a.txt").write_text("hello\n" * 100)
    (tmp_path / "a.srt").write_text("1\n00:00:01,000 --> 00:00:02,000\nhi\n")
    (tmp_path / "a.m3u8").write_text("#EXTM3U\n#EXTINF:3,\n/etc/passwd\n#EXT-X-ENDLIST\n")
    (tmp_path / "a.ffconcat").write_text("ffconcat version 1.0\nfile a.txt\n")
    (tmp_path / "empty.mp4").write_bytes(b"")

    for path in tmp_path.iterdir():
        with pytest.raises(MediaError) as caught:
            probe(path)
        assert path.name in str(caught.value)
        assert caught.value.file == str(path)
        assert caught.value.hint


def test_playlist_leads_nowhere(tmp_path, clip):
    """A playlist is not followed to another file, even to a good one."""
    (tmp_path / "list.m3u8").write_text(f"#EXTM3U\n#EXTINF:3,\n{clip}\n#EXT-X-ENDLIST\n")
    (tmp_path / "list.ffconcat").write_text(f"ffconcat version 1.0\nfile {clip}\n")

    for path in tmp_path.iterdir():
        with pytest.raises(MediaError):
            probe(path)


def test_what_is_no_file(tmp_path):
    """An absent file, a folder, a pipe and a device are refused, and nothing hangs."""
    os.mkfifo(tmp_path / "pipe")

    for name in ("absent.mp4", "nul\0.mp4"):
        with pytest.raises(NotFound):
            probe(tmp_path / name)
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(InvalidInput):
            probe(path)


@pytest.mark.parametrize(
    "name",
    [
        b"http:..host.mp4",
        b"concat:a|b.mp4",
        b"a%03d.mp4",
        b"new\nline.mp4",
        b"\xff\xfe.mp4",
        b"-i.mp4",
    ],
)
def test_names_are_only_names(tmp_path, short_clip, name):
    """A name that looks like a protocol, an option or a pattern is opened as the file it is."""
    path = tmp_path / os.fsdecode(name)
    shutil.copy(short_clip, path)

    assert probe(path).duration_seconds == pytest.approx(24.0, abs=0.1)


def test_relative_name_that_looks_like_a_protocol(tmp_path, short_clip, monkeypatch):
    """The same holds for a relative path, which begins with the protocol's name."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(short_clip, "pipe:0")

    assert probe(type(tmp_path)("pipe:0")).has_audio
