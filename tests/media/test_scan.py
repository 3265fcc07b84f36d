"""One pass over a file: exact, complete, and the same whether it was interrupted or not."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from io import BytesIO

import av
import numpy as np
import pytest
from PIL import Image

from vidbench.errors import Interrupted, VidbenchError
from vidbench.media.artifacts import write_artifact
from vidbench.media.audio import RATE, load_audio
from vidbench.media.clock import clock_of
from vidbench.media.probe import probe
from vidbench.media.scan import ScanPlan, scan


class Going:
    """An interrupt that comes after a number of checks, or never."""

    preempted = False

    def __init__(self, checks=None):
        self.left = checks

    @property
    def cancelled(self):
        return self.left == 0

    def check(self):
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                raise Interrupted("stopped")


class Differences:
    """An observer that needs the frame before, as a score curve does."""

    def __init__(self):
        self.last, self.lines = None, []

    def prime(self, frame):
        self.last = frame.bgr(64).astype(int)

    def see(self, frame):
        picture = frame.bgr(64).astype(int)
        score = 0.0 if self.last is None else float(np.abs(picture - self.last).mean())
        self.lines.append((frame.pts, frame.time, score))
        self.last = picture

    def flush(self, folder, chunk_index):
        content = json.dumps(self.lines).encode()
        self.lines = []
        name = f"lines-{chunk_index:04d}.json"
        return [write_artifact(folder, name, "lines", lambda file: file.write(content))]


def run(path, folder, plan=None, *, position=None, threads=2, interrupt=None, facts=None):
    yield from scan(
        path,
        facts or probe(path),
        plan or ScanPlan(),
        folder=folder,
        observers=[Differences()],
        position=position,
        threads=threads,
        interrupt=interrupt or Going(),
    )


def files(folder):
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def rows_of(batches):
    return [row for batch in batches for row in batch.rows.get("thumbnails", [])]


@pytest.fixture(scope="module")
def clip_pass(clip, tmp_path_factory):
    """The project's own clip, passed over once."""
    folder = tmp_path_factory.mktemp("pass")
    return folder, list(run(clip, folder))


def test_every_frame_at_its_exact_time(clip, clip_pass):
    """The stored time stamps are the stream's own, and seconds are their exact fractions."""
    folder, batches = clip_pass
    with av.open(str(clip)) as container:
        base = container.streams.video[0].time_base
        expected = [frame.pts for frame in container.decode(video=0)]
    stamps = np.concatenate([np.load(path) for path in sorted(folder.glob("times-*.npy"))])
    clock = clock_of(probe(clip), 0)

    assert stamps.dtype == np.int64
    assert stamps.tolist() == expected
    assert [clock.seconds(pts) for pts in expected] == [float(pts * base) for pts in expected]
    assert batches[-1].result["frames"] == len(expected) == 5402


def test_observers_see_the_same_times(clip_pass):
    """What observers are told is what the time index says."""
    folder, _ = clip_pass
    lines = [line for path in sorted(folder.glob("lines-*.json")) for line in json.loads(path.read_text())]

    assert len(lines) == 5402
    assert all(time == float(Fraction(pts, 90000)) for pts, time, _ in lines)


def test_chunks_of_a_minute(clip_pass):
    """Three minutes come as one Batch a minute, with rising progress and a result at the end."""
    folder, batches = clip_pass

    firsts = [float(np.load(path)[0]) / 90000 for path in sorted(folder.glob("times-*.npy"))]
    assert [int(first // 60) for first in firsts] == [0, 1, 2, 3]
    assert [batch.progress for batch in batches] == sorted(batch.progress for batch in batches)
    assert batches[-1].progress == 1.0
    result = batches[-1].result
    assert (result["has_audio"], result["skipped"]) == (True, 0)
    assert result["end_time"] == pytest.approx(180.2567, abs=1e-3)


def test_rows_name_their_pictures(clip_pass):
    """Each row's file is there, is as large as the row says, and ordinals count up."""
    folder, batches = clip_pass
    rows = rows_of(batches)

    assert [row["ordinal"] for row in rows] == list(range(len(rows)))
    for row in rows:
        with Image.open(folder / row["path"]) as picture:
            assert picture.size == (row["width"], row["height"])


def test_notes_name_every_file(clip_pass):
    """Every file has a note with its checksum, and nothing else lies in the folder."""
    folder, batches = clip_pass
    noted = {note.path: note.sha256 for batch in batches for note in batch.artifacts}

    assert noted == files(folder)


def test_thumbnails_every_two_seconds(clip_pass):
    """There is a thumbnail for every two seconds, 320 pixels wide, and one poster that is not black."""
    folder, batches = clip_pass
    rows = rows_of(batches)
    thumbnails = [row for row in rows if row["kind"] == "thumbnail"]
    posters = [row for row in rows if row["kind"] == "poster"]

    assert [int(row["time"] // 2) for row in thumbnails] == list(range(91))
    assert {(row["width"], row["height"]) for row in thumbnails} == {(320, 235)}
    assert len(posters) == 1
    assert np.asarray(Image.open(folder / posters[0]["path"]).convert("L")).std() > 40


def test_samples_hold_every_title(clip_pass):
    """Few frames are kept for scene text, but all that show a title or credit long enough to be read."""
    _, batches = clip_pass
    times = [row["time"] for row in rows_of(batches) if row["kind"] == "sample"]
    titles = [(1, 2), (2.5, 4), (65, 67.5), (102.5, 103.6), (104, 105), (109, 111), (114, 115)]
    credit_cards = [(begin, begin + 1.6) for begin in (152, 153.5, 155.6, 157.6, 159.6, 161.6, 163.8)]
    thanks = [(begin, begin + 1.6) for begin in (165.8, 167.8, 169.8, 171.8, 175.3)]
    licence = [(179.6, 180.3)]

    assert len(times) <= 70
    for begin, end in titles + credit_cards + thanks + licence:
        assert any(begin <= time <= end for time in times), (begin, end)


def test_sound_is_the_streams_own(clip, clip_pass):
    """The sound lasts as long as the stream and equals what faster-whisper's own reader makes of it."""
    folder, _ = clip_pass
    samples = load_audio(folder / "audio.wav")
    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    with av.open(str(clip)) as container:
        frames = [made for frame in container.decode(audio=0) for made in resampler.resample(frame)]
    frames.extend(resampler.resample(None))
    expected = np.concatenate([frame.to_ndarray().reshape(-1) for frame in frames])

    assert np.array_equal(samples, expected.astype(np.float32) / 32768)


def test_resumed_pass_writes_the_same_bytes(short_clip, tmp_path):
    """Stopped after any chunk and taken up by a new process, the pass leaves identical files and rows."""
    check_resume(short_clip, tmp_path, ScanPlan(chunk_seconds=7))


@pytest.mark.parametrize(
    "name",
    [
        "clips/nasa_13013.mp4",
        "clips/lecture_av.mov",
        "odd/drv_audio_delayed_2s.mp4",
        "odd/drv_truncated_60pct.mp4",
        "odd/fate_oneminute.avi",
        "odd/fate_g2m4.mp4",
        "odd/fate_brokensps.mp4",
        "odd/ft_fixture-null.webm",
        "odd/gr_video_sample.ogg",
        "odd/mb_edts.mp4",
        "odd/ae_h264-mjpeg.mkv",
        "odd/rails_rotated_video.mp4",
        "odd/sff_awesome_movie.mov",
        "odd/tc_av1_video.mkv",
        "odd/tika_testWMV.wmv",
    ],
)
def test_resume_on_real_files(shared_media, tmp_path, name):
    """The same holds for other containers and codecs, broken and odd ones among them."""
    path = shared_media / name
    chunk = probe(path).duration_seconds / 2.5

    check_resume(path, tmp_path, ScanPlan(chunk_seconds=chunk))


def test_resume_in_a_damaged_file(shared_media, tmp_path):
    """The same holds where packets are corrupt, with one thread: with more, FFmpeg conceals them by chance."""
    check_resume(
        shared_media / "odd" / "mp4p_no_timescale.mp4",
        tmp_path,
        ScanPlan(chunk_seconds=2),
        threads=1,
    )


def check_resume(path, tmp_path, plan, **options):
    whole = list(run(path, tmp_path / "whole", plan, **options))
    expected = files(tmp_path / "whole")
    assert len(whole) > 1
    for stop in range(1, len(whole)):
        folder = tmp_path / f"stopped-{stop}"
        first = run(path, folder, plan, **options)
        begun = [next(first) for _ in range(stop)]
        first.close()
        position = json.loads(json.dumps(begun[-1].position))
        rest = list(run(path, folder, plan, position=position, **options))
        assert files(folder) == expected, stop
        assert rows_of([*begun, *rest]) == rows_of(whole)
        assert rest[-1].result == whole[-1].result
        assert rest[-1].position == whole[-1].position


def test_threads_change_nothing(short_clip, tmp_path):
    """One thread and four leave the same files."""
    list(run(short_clip, tmp_path / "one", threads=1))
    list(run(short_clip, tmp_path / "four", threads=4))

    assert files(tmp_path / "one") == files(tmp_path / "four")


def test_position_of_the_end(short_clip, tmp_path):
    """Taken up after its last Batch, a pass only repeats its result."""
    whole = list(run(short_clip, tmp_path))
    before = files(tmp_path)

    again = list(run(short_clip, tmp_path, position=whole[-1].position))

    assert rows_of(again) == []
    assert again[-1].result == whole[-1].result
    assert files(tmp_path) == before


@pytest.mark.parametrize("checks", [1, 10, 300])
def test_interrupt(short_clip, tmp_path, checks):
    """An interrupt stops the pass at once and leaves no half file."""
    with pytest.raises(Interrupted):
        list(run(short_clip, tmp_path, interrupt=Going(checks)))
    assert not [name for name in files(tmp_path) if ".part" in name]


def test_every_odd_file_passes(shared_media, tmp_path, subtests):
    """Whatever can be probed can be passed over, ends where the probe says, and leaves no half file."""
    slow = {"m3_long_180p_av1.mp4"}
    small = ScanPlan(sample_width=160, poster_width=160, thumbnail_width=160)

    for path in sorted((shared_media / "odd").iterdir()):
        with subtests.test(path.name):
            try:
                facts = probe(path)
            except VidbenchError:
                continue
            if path.name in slow:
                continue
            folder = tmp_path / path.name
            batches = list(run(path, folder, small, facts=facts))
            result = batches[-1].result
            assert result["end_time"] == pytest.approx(facts.duration_seconds, abs=0.1)
            assert (result["frames"] > 0) == (facts.video_index is not None)
            assert result["has_audio"] == (folder / "audio.wav").exists()
            assert {note.path for batch in batches for note in batch.artifacts} == set(files(folder))


def test_sound_only(shared_media, tmp_path):
    """A file of sound gives sound and no pictures."""
    batches = list(run(shared_media / "odd" / "drv_audio_only.m4a", tmp_path))

    assert list(files(tmp_path)) == ["audio.wav"]
    assert rows_of(batches) == []
    assert batches[-1].result["frames"] == 0
    assert batches[-1].result["end_time"] == pytest.approx(35.016, abs=0.01)


def test_pictures_only(shared_media, tmp_path):
    """A file without sound gives no sound."""
    batches = list(run(shared_media / "odd" / "drv_no_audio.mp4", tmp_path))

    assert batches[-1].result["has_audio"] is False
    assert not (tmp_path / "audio.wav").exists()


def test_late_sound_is_in_place(shared_media, tmp_path):
    """Sound that starts 1.166 s after the first picture is silent until then."""
    list(run(shared_media / "odd" / "drv_audio_delayed_2s.mp4", tmp_path))
    samples = np.abs(load_audio(tmp_path / "audio.wav"))

    first = int(np.flatnonzero(samples)[0]) / RATE
    with av.open(str(shared_media / "odd" / "drv_audio_delayed_2s.mp4")) as container:
        heard = [(f.pts, np.abs(f.to_ndarray()).max()) for f in container.decode(audio=0)]
    expected = next(pts for pts, level in heard if level > 1 / 32768) / 44100 - 0.834

    assert first == pytest.approx(expected, abs=0.03)


def test_broken_packets_are_counted(shared_media, tmp_path):
    """Corrupt packets are left out and counted, and the pass goes on behind them."""
    batches = list(run(shared_media / "odd" / "mp4p_no_timescale.mp4", tmp_path))

    assert batches[-1].result["skipped"] > 0
    assert batches[-1].result["frames"] > 150


def test_pictures_for_people_are_upright(shared_media, tmp_path):
    """Thumbnails and posters are turned and stretched; what observers get is not."""
    rows = rows_of(run(shared_media / "odd" / "php_portrait.MOV", tmp_path))
    shape = {(row["width"], row["height"]) for row in rows if row["kind"] == "thumbnail"}

    assert shape == {(320, 568)}


def test_observers_get_the_stored_picture(shared_media, tmp_path):
    """An observer's picture is neither turned nor stretched, has the asked width, and is never enlarged."""
    shapes = []

    class Shapes(Differences):
        def see(self, frame):
            shapes.append((frame.width, frame.height, frame.bgr(256).shape, frame.bgr(9999).shape))

    path = shared_media / "odd" / "php_portrait.MOV"
    list(scan(path, probe(path), ScanPlan(), folder=tmp_path, observers=[Shapes()], interrupt=Going()))

    assert set(shapes) == {(568, 320, (144, 256, 3), (320, 568, 3))}


def test_changed_file_is_noticed(short_clip, shared_media, tmp_path):
    """A file that was replaced between two chunks is refused, with its name."""
    plan = ScanPlan(chunk_seconds=3.5)
    facts = probe(short_clip)
    position = next(run(short_clip, tmp_path, plan)).position
    other = shared_media / "clips" / "obama_speech.mp4"

    with pytest.raises(VidbenchError, match="no longer holds") as caught:
        list(run(other, tmp_path, plan, position=position | {"pts": 123457}, facts=probe(other)))
    assert caught.value.file == str(other)
    assert facts.video_index == 0


def test_same_picture_same_bytes(clip_pass):
    """A thumbnail is an ordinary JPEG file."""
    folder, batches = clip_pass
    content = (folder / rows_of(batches)[0]["path"]).read_bytes()

    assert Image.open(BytesIO(content)).format == "JPEG"
