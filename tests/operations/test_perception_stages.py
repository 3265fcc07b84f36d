"""The stages of the perception worker, on a real clip with deterministic models."""

import shutil
from pathlib import Path

import pytest
from perception.frames import Calm

from vidbench.contract.models import ModelSpec
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig, UniformConfig
from vidbench.contract.validation import to_json
from vidbench.contract.work import Unit
from vidbench.errors import Interrupted, StoreError
from vidbench.media.probe import probe
from vidbench.operations import scan, scene_text, segmentation, speech
from vidbench.testing.fakes import FakeSceneText, FakeSpeech

SHOTS = SegmentationConfig(strategy="shot-detector", shot_detector_config=ShotDetectorConfig())


class Fakes:
    """Deterministic models."""

    def __init__(self):
        made = {"speech": FakeSpeech, "scene_text": FakeSceneText}
        self.models = {
            role: fake(ModelSpec(name=role, role=role, engine="fake", path="", checksum=""), 1)
            for role, fake in made.items()
        }

    def get(self, role):
        """The fake of *role*."""
        return self.models[role]


class Cancelled(Calm):
    """Work that nobody wants any more."""

    cancelled = True

    def check(self):
        """Stop."""
        raise Interrupted("cancelled")


def run(stage, unit):
    """All batches of *unit*."""
    return list(stage.run(unit, Fakes(), Calm()))


def rows_of(batches, table):
    """Rows of *table* in all batches."""
    return [row for batch in batches for row in batch.rows.get(table, ())]


def unit_of(media, **more):
    """A unit on *media*."""
    facts = to_json(probe(media))
    return Unit(**{"stage": "stage", "run_id": "run", "media": str(media), "facts": facts} | more)


@pytest.fixture(scope="module")
def seen(short_clip, tmp_path_factory):
    """The short clip's scan: (folder, batches)."""
    folder = tmp_path_factory.mktemp("scan")
    return folder, run(scan, unit_of(short_clip, folder=str(folder)))


@pytest.fixture(scope="module")
def inputs(seen):
    """What later stages are given of the scan."""
    folder, batches = seen
    notes = [note for batch in batches for note in batch.artifacts]
    paths = {kind: [str(folder / note.path) for note in notes if note.kind == kind] for kind in ("curve", "audio")}
    samples = [
        {**row, "path": str(folder / row["path"])} for row in rows_of(batches, "thumbnails") if row["kind"] == "sample"
    ]
    return {"curve": paths["curve"], "audio": paths["audio"][0], "samples": samples}


def resumed(stage, unit, after):
    """The batches of a run that was stopped after batch *after* and taken up again."""
    whole = run(stage, unit)
    fields = {name: getattr(unit, name) for name in ("stage", "run_id", "media", "facts", "config", "inputs", "folder")}
    rest = run(stage, Unit(**fields, position=whole[after].position))
    return whole[: after + 1] + rest


def test_a_scan_leaves_a_curve(seen):
    """The pass writes curve, times and sound, and ends with progress 1."""
    _, batches = seen
    kinds = {note.kind for batch in batches for note in batch.artifacts}
    assert {"curve", "times", "audio", "poster"} <= kinds
    assert batches[-1].progress == 1.0


def test_sound_alone_can_be_scanned(shared_media, tmp_path):
    """A file without pictures leaves its sound and no curve."""
    unit = unit_of(shared_media / "speech" / "jfk.flac", folder=str(tmp_path))
    batches = run(scan, unit)
    assert [note.kind for batch in batches for note in batch.artifacts] == ["audio"]
    assert batches[-1].progress == 1.0


def test_shots_are_found_with_their_times(short_clip, inputs):
    """The four scenes of six seconds are four shots and four segments."""
    (batch,) = run(segmentation, unit_of(short_clip, config=to_json(SHOTS), inputs=inputs))
    expected = [(0, 0.0, 6.0), (1, 6.0, 12.0), (2, 12.0, 18.0), (3, 18.0, 24.0)]
    for table in ("shots", "segments"):
        rows = [(row["ordinal"], row["start_time"], row["end_time"]) for row in batch.rows[table]]
        assert [row[:2] for row in rows] == [row[:2] for row in expected]
        assert rows[-1][2] == probe(short_clip).duration_seconds
    assert batch.result == {"segments": 4, "shots": 4}


def test_shots_keep_to_the_range(short_clip, inputs):
    """With a range, shots begin and end with it."""
    config = to_json(SegmentationConfig(
        strategy="shot-detector", start_time_seconds=2.0, end_time_seconds=14.0,
    ))  # fmt: skip
    (batch,) = run(segmentation, unit_of(short_clip, config=config, inputs=inputs))
    times = [(row["start_time"], row["end_time"]) for row in batch.rows["shots"]]
    assert times == [(2.0, 6.0), (6.0, 12.0), (12.0, 14.0)]


def test_no_cut_is_not_applicable(short_clip, inputs):
    """A stretch without cuts says so and has no rows."""
    config = to_json(SegmentationConfig(strategy="shot-detector", end_time_seconds=5.0))
    (batch,) = run(segmentation, unit_of(short_clip, config=config, inputs=inputs))
    assert batch.rows == {}
    assert batch.result["not_applicable"] is True
    assert "No cut" in batch.result["message"]


def test_sound_has_no_shots(shared_media):
    """Shots of a file without pictures are not applicable, not an error."""
    unit = unit_of(shared_media / "speech" / "jfk.flac", config=to_json(SHOTS), inputs={"curve": []})
    assert run(segmentation, unit)[0].result["not_applicable"] is True


def test_uniform_windows_need_no_scan(short_clip):
    """Uniform segments come of the duration alone."""
    config = to_json(SegmentationConfig(uniform_config=UniformConfig(window_seconds=10)))
    (batch,) = run(segmentation, unit_of(short_clip, config=config))
    assert [row["start_time"] for row in batch.rows["segments"]] == [0.0, 10.0, 20.0]
    assert "shots" not in batch.rows
    assert batch.rows["segments"][-1]["end_time"] == probe(short_clip).duration_seconds


def test_an_absent_curve_is_an_error(short_clip, tmp_path):
    """A curve that is not there does not count as no cut."""
    curve = {"curve": [str(tmp_path / "curve-0000.npz")]}
    with pytest.raises(StoreError, match="curve-0000"):
        run(segmentation, unit_of(short_clip, config=to_json(SHOTS), inputs=curve))


def test_speech_is_a_line_a_batch(short_clip, inputs):
    """Lines and words count on, words say which line they belong to, and the end has progress 1."""
    batches = run(speech, unit_of(short_clip, config={"language": None}, inputs=inputs))
    lines, words = rows_of(batches, "speech"), rows_of(batches, "words")
    assert [line["ordinal"] for line in lines] == list(range(6))
    assert [word["ordinal"] for word in words] == list(range(42))
    assert [word["speech_ordinal"] for word in words[::7]] == list(range(6))
    assert max(len(batch.rows.get("speech", ())) for batch in batches) == 1
    assert batches[-1].result == {"lines": 6, "words": 42, "language": "en"}
    assert [batch.progress for batch in batches] == sorted(batch.progress for batch in batches)
    assert batches[-1].progress == 1.0


@pytest.mark.parametrize("after", range(8))
def test_speech_goes_on_where_it_was(short_clip, inputs, after):
    """Stopped after any batch, the run ends with the same rows and the same result."""
    unit = unit_of(short_clip, config={"language": "en"}, inputs=inputs)
    whole, again = run(speech, unit), resumed(speech, unit, min(after, 7))
    for table in ("speech", "words"):
        assert rows_of(again, table) == rows_of(whole, table)
    assert again[-1].result == whole[-1].result


def test_no_sound_is_no_speech(short_clip):
    """Without sound there is one empty batch that says so."""
    (batch,) = run(speech, unit_of(short_clip, config={"language": None}, inputs={"audio": ""}))
    assert (batch.rows, batch.progress) == ({}, 1.0)
    assert batch.result["lines"] == 0


def test_unreadable_sound_is_an_error(short_clip, tmp_path):
    """Sound that is not there does not count as silence."""
    with pytest.raises(StoreError):
        run(speech, unit_of(short_clip, config={}, inputs={"audio": str(tmp_path / "audio.wav")}))


def samples_of(inputs, folder, count=13):
    """A row of samples, each picture shown for three of them."""
    rows = []
    for number in range(count):
        source = Path(inputs["samples"][number // 3 % len(inputs["samples"])]["path"])
        path = folder / f"{number}.jpg"
        shutil.copy(source, path)
        rows.append({"time": float(number), "path": str(path), "width": 320, "height": 240})
    return rows


def test_scene_text_has_first_and_last_sightings(short_clip, inputs, tmp_path):
    """Texts last while their picture is shown; ordinals count on."""
    samples = samples_of(inputs, tmp_path)
    batches = run(scene_text, unit_of(short_clip, inputs={"samples": samples}))
    rows = rows_of(batches, "scene_text")
    assert [row["ordinal"] for row in rows] == list(range(len(rows)))
    assert rows[0]["start_time"] == 0.0
    assert rows[0]["end_time"] % 3 == 0
    assert rows[-1]["end_time"] == probe(short_clip).duration_seconds
    assert (rows[0]["box_left"], rows[0]["box_bottom"]) == (0.25, 0.5)
    assert batches[-1].result == {"texts": len(rows), "samples": 13}


@pytest.mark.parametrize("after", range(3))
def test_scene_text_goes_on_where_it_was(short_clip, inputs, tmp_path, after):
    """Stopped after any batch, the run ends with the same rows."""
    unit = unit_of(short_clip, inputs={"samples": samples_of(inputs, tmp_path)})
    whole, again = run(scene_text, unit), resumed(scene_text, unit, after)
    assert rows_of(again, "scene_text") == rows_of(whole, "scene_text")
    assert again[-1].result == whole[-1].result


def test_no_samples_are_no_text(short_clip):
    """Without pictures there is one empty batch."""
    (batch,) = run(scene_text, unit_of(short_clip, inputs={"samples": []}))
    assert (batch.rows, batch.progress) == ({}, 1.0)


@pytest.mark.parametrize("stage", [segmentation, speech, scene_text])
def test_cancelled_work_stops(stage, short_clip, inputs):
    """Nothing comes out of a stage that was cancelled before it began."""
    unit = unit_of(short_clip, config={}, inputs=inputs)
    with pytest.raises(Interrupted):
        list(stage.run(unit, Fakes(), Cancelled()))


def test_a_scan_goes_on_with_the_same_curve(short_clip, tmp_path, monkeypatch):
    """A scan that was stopped between chunks leaves the very curve files of one that was not."""
    from vidbench.media.plan import ScanPlan

    monkeypatch.setattr(scan, "ScanPlan", lambda: ScanPlan(chunk_seconds=7.0))
    unit = unit_of(short_clip, folder=str(tmp_path))
    sums = {
        tuple(sorted({(n.path, n.sha256) for batch in some for n in batch.artifacts if n.kind == "curve"}))
        for some in (run(scan, unit), resumed(scan, unit, 0), resumed(scan, unit, 2))
    }
    assert len(sums) == 1
