"""What a verb will do, before it does it."""

import pytest
from facts import make_facts

from vidbench.contract.describe import DescribeConfig
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig, UniformConfig
from vidbench.errors import InvalidInput
from vidbench.operations import BY_NAME
from vidbench.operations.stages import STAGES, key_parts, prompt_digest


def stages_of(config, **facts):
    """Names of the stages of a describe."""
    return [step.stage for step in BY_NAME["describe"].plan(config, make_facts(**facts))]


def test_describe_runs_every_stage_in_the_order_of_its_inputs():
    """Inputs come before those who read them."""
    plan = BY_NAME["describe"].plan(DescribeConfig(), make_facts())
    seen = []
    for step in plan:
        assert set(step.inputs) <= set(seen)
        seen.append(step.stage)

    assert seen == ["scan", "segmentation", "speech", "scene_text", "summary", "passages"]


@pytest.mark.parametrize(
    ("config", "left_out"),
    [
        (DescribeConfig(enable_speech=False), {"speech"}),
        (DescribeConfig(enable_scene_text=False), {"scene_text"}),
        (DescribeConfig(enable_summary=False), {"summary"}),
        (DescribeConfig(enable_summary=False, enable_speech=False, enable_scene_text=False),
         {"summary", "speech", "scene_text", "passages"}),
    ],
)  # fmt: skip
def test_what_is_switched_off_does_not_run(config, left_out):
    """Each part can be left out."""
    everything = set(stages_of(DescribeConfig()))

    assert set(stages_of(config)) == everything - left_out


def test_sound_has_no_scene_text():
    """An audio file is described without looking for text."""
    assert "scene_text" not in stages_of(DescribeConfig(), media_type="audio")


def test_windows_need_no_scan_and_shots_do():
    """A uniform segmentation decodes nothing."""
    plan = BY_NAME["segment"].plan

    assert [step.stage for step in plan(SegmentationConfig(), make_facts())] == ["segmentation"]
    shots = SegmentationConfig(strategy="shot-detector")
    assert [step.stage for step in plan(shots, make_facts())] == ["scan", "segmentation"]


def test_equal_wishes_have_equal_configs():
    """A default left out and the same value given are one and the same work."""
    plan = BY_NAME["segment"].plan
    given = SegmentationConfig(uniform_config=UniformConfig(window_seconds=20.0))

    assert plan(SegmentationConfig(), make_facts()) == plan(given, make_facts())


@pytest.mark.parametrize(
    ("config", "field"),
    [
        (SegmentationConfig(uniform_config=UniformConfig(window_seconds=61)), "uniform_config.window_seconds"),
        (SegmentationConfig(start_time_seconds=60), "start_time_seconds"),
        (SegmentationConfig(start_time_seconds=5, end_time_seconds=5), "end_time_seconds"),
        (SegmentationConfig(shot_detector_config=ShotDetectorConfig()), "shot_detector_config"),
        (SegmentationConfig(strategy="shot-detector", uniform_config=UniformConfig()), "uniform_config"),
        (
            SegmentationConfig(
                strategy="shot-detector", shot_detector_config=ShotDetectorConfig(detector="adaptive", threshold=3)
            ),
            "shot_detector_config.threshold",
        ),
        (
            SegmentationConfig(
                strategy="shot-detector", shot_detector_config=ShotDetectorConfig(min_seconds=9, max_seconds=8)
            ),
            "shot_detector_config.min_seconds",
        ),
    ],
)
def test_a_wish_that_makes_no_sense_names_its_field(config, field):
    """Refused before anything starts."""
    with pytest.raises(InvalidInput) as caught:
        BY_NAME["segment"].check(config, make_facts())

    assert caught.value.field == field


def test_describe_takes_one_segmentation_only():
    """An id and a config exclude each other."""
    config = DescribeConfig(segmentation_id="x", segmentation_config=SegmentationConfig())

    with pytest.raises(InvalidInput, match="cannot be combined"):
        BY_NAME["describe"].check(config, make_facts())


def test_a_language_that_is_no_code_is_refused():
    """A word is not a language code; the field is named before anything starts."""
    with pytest.raises(InvalidInput) as caught:
        BY_NAME["describe"].check(DescribeConfig(language="klingon"), make_facts())

    assert caught.value.field == "language"


def test_a_short_file_is_described_as_one_segment():
    """A window longer than the file is an error for segment, not for describe."""
    config = DescribeConfig(segmentation_config=SegmentationConfig(uniform_config=UniformConfig(window_seconds=120)))

    BY_NAME["describe"].check(config, make_facts())


@pytest.mark.parametrize("part", ["version", "config", "models", "inputs"])
def test_a_key_changes_with_each_of_its_parts(part):
    """Whatever could change the answer changes the key."""
    stage = STAGES["speech"]
    parts = key_parts(stage, config={}, models={"speech": "a"}, inputs={"scan": "b"})
    other = parts | {part: "another"}

    assert parts != other
    assert parts["prompts"] == ""


def test_an_edited_prompt_is_another_work():
    """The digest covers every prompt of the stage."""
    assert prompt_digest(("answer.md",)) != prompt_digest(("segment_summary.md",))


@pytest.mark.parametrize("name", sorted(STAGES))
def test_every_stage_has_its_function(name):
    """The table names what exists."""
    assert callable(STAGES[name].load())
