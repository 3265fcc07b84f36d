"""The score curve."""

import numpy as np
import pytest
from perception.frames import Still, noise

from vidbench.errors import StoreError
from vidbench.perception.curve import COMPONENTS, Curve, ScoreObserver, scored_size


def curve_of(frames, folder, *, chunks=1):
    """The curve that an observer leaves of *frames*, flushed in equal chunks."""
    observer, paths = ScoreObserver(), []
    for index, some in enumerate(np.array_split(np.arange(len(frames)), chunks)):
        for at in some:
            observer.see(frames[at])
        paths += [folder / note.path for note in observer.flush(folder, index)]
    return Curve.load(paths)


def test_components_equal_the_detectors_own(tmp_path):
    """Every component and score has the very float that PySceneDetect's ContentDetector computes."""
    import cv2
    from scenedetect.common import FrameTimecode
    from scenedetect.detectors import ContentDetector
    from scenedetect.stats_manager import StatsManager

    frames = noise(6, width=640, height=360)
    detector = ContentDetector()
    detector.stats_manager = StatsManager()
    for number, frame in enumerate(frames):
        small = cv2.resize(frame.picture, (256, 144), interpolation=cv2.INTER_LINEAR)
        detector.process_frame(FrameTimecode(number, 25.0), small)
    names = [*COMPONENTS, "content_val"]
    expected = [detector.stats_manager.get_metrics(FrameTimecode(number, 25.0), names) for number in range(1, 6)]
    curve = curve_of(frames, tmp_path)
    actual = np.column_stack([curve.components, curve.scores])[1:]
    assert actual.tolist() == [list(row) for row in expected]


def test_the_first_frame_scores_nothing(tmp_path):
    """A file's first frame has nothing to differ from."""
    curve = curve_of(noise(2), tmp_path)
    assert curve.scores[0] == 0.0
    assert curve.scores[1] > 20.0


def test_chunks_do_not_show(tmp_path):
    """A curve written in chunks equals the one written at once."""
    (tmp_path / "one").mkdir()
    (tmp_path / "four").mkdir()
    frames = noise(12)
    once, often = curve_of(frames, tmp_path / "one"), curve_of(frames, tmp_path / "four", chunks=4)
    assert np.array_equal(once.times, often.times)
    assert np.array_equal(once.components, often.components)


def test_a_primed_observer_goes_on(tmp_path):
    """After a resume the first frame is scored against the one that was seen before."""
    frames = noise(4)
    whole = curve_of(frames, tmp_path)
    observer = ScoreObserver()
    observer.prime(frames[1])
    for frame in frames[2:]:
        observer.see(frame)
    rest = Curve.load([tmp_path / note.path for note in observer.flush(tmp_path, 1)])
    assert rest.times.tolist() == whole.times[2:].tolist()
    assert rest.components.tolist() == whole.components[2:].tolist()


def test_equal_frames_give_equal_bytes(tmp_path):
    """Writing a chunk twice writes the same file."""
    sums = []
    for name in ("a", "b"):
        observer = ScoreObserver()
        for frame in noise(3):
            observer.see(frame)
        sums += [note.sha256 for note in observer.flush(tmp_path / name, 7)]
    assert sums[0] == sums[1]


def test_nothing_seen_writes_nothing(tmp_path):
    """A flush without frames leaves no file."""
    assert ScoreObserver().flush(tmp_path, 0) == []
    assert list(tmp_path.iterdir()) == []


def test_a_change_of_size_is_no_cut(tmp_path):
    """A frame of another shape is scored 0 instead of failing."""
    frames = [*noise(1), *noise(1, width=200, height=200)]
    assert curve_of(frames, tmp_path).scores.tolist() == [0.0, 0.0]


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        ((1920, 1080), (256, 144)),
        ((1080, 1920), (144, 256)),
        ((256, 256), (256, 256)),
        ((255, 100), (255, 100)),
        ((5000, 2), (256, 1)),
    ],
)
def test_the_longer_side_becomes_256(size, expected):
    """Frames are made as small as the command line makes them, and never larger."""
    assert scored_size(*size) == expected


def test_no_chunks_give_an_empty_curve():
    """A file without pictures has a curve without points."""
    curve = Curve.load([])
    assert curve.times.shape == (0,)
    assert curve.scores.shape == (0,)


@pytest.mark.parametrize("content", [b"", b"no archive", b"PK\x03\x04broken"])
def test_a_damaged_chunk_is_named(tmp_path, content):
    """The error names the file that cannot be read."""
    path = tmp_path / "curve-0000.npz"
    path.write_bytes(content)
    with pytest.raises(StoreError, match="curve-0000") as caught:
        Curve.load([path])
    assert caught.value.file == str(path)


def test_an_absent_chunk_is_named(tmp_path):
    """A chunk that is not there is an error, not an empty curve."""
    with pytest.raises(StoreError, match="curve-0003"):
        Curve.load([tmp_path / "curve-0003.npz"])


def test_a_grey_frame_can_be_scored(tmp_path):
    """Pictures without colour differ in brightness alone."""
    frames = [Still(at / 25, np.full((20, 30, 3), level, np.uint8)) for at, level in enumerate((10, 40))]
    assert curve_of(frames, tmp_path).components[1].tolist() == [0.0, 0.0, 30.0]
