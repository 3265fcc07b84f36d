"""Data from outside becomes contract objects, or an error that names the field."""

import pytest

from vidbench.contract.chat import ChatConfig
from vidbench.contract.collections import CollectionConfig
from vidbench.contract.describe import DescribeConfig
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig, UniformConfig
from vidbench.contract.validation import parse, to_json, to_wire
from vidbench.errors import InvalidInput


@pytest.mark.parametrize(
    ("kind", "data", "field"),
    [
        (UniformConfig, {"window_seconds": 0.5}, "window_seconds"),
        (UniformConfig, {"window_seconds": 121}, "window_seconds"),
        (UniformConfig, {"hop_seconds": 0}, "hop_seconds"),
        (ShotDetectorConfig, {"min_seconds": 0.5}, "min_seconds"),
        (ShotDetectorConfig, {"max_seconds": 601}, "max_seconds"),
        (ShotDetectorConfig, {"threshold": -1}, "threshold"),
        (ShotDetectorConfig, {"detector": "magic"}, "detector"),
        (SegmentationConfig, {"strategy": "by-eye"}, "strategy"),
        (SegmentationConfig, {"start_time_seconds": -1}, "start_time_seconds"),
        (SegmentationConfig, {"strategy": "uniform", "uniform_config": {"window_seconds": 0}}, "uniform_config"),
        (DescribeConfig, {"enable_speech": "perhaps"}, "enable_speech"),
        (DescribeConfig, {"enable_speach": True}, "enable_speach"),
        (ChatConfig, {"messages": []}, "messages"),
        (ChatConfig, {"messages": [{"content": "?"}], "temperature": 2.1}, "temperature"),
        (CollectionConfig, {"name": ""}, "name"),
        (CollectionConfig, {"name": "x" * 256}, "name"),
    ],
)
def test_what_is_out_of_range_names_its_field(kind, data, field):
    """The error carries the field and says it in its message."""
    with pytest.raises(InvalidInput) as caught:
        parse(kind, data)

    assert caught.value.field.startswith(field)
    assert field in str(caught.value)


def test_defaults_are_the_contracts():
    """Uniform windows of 20 s; shots of at least 0.6 s and at most 300 s, gaps filled, adaptive."""
    shots = parse(ShotDetectorConfig, {})

    assert parse(UniformConfig, {}) == UniformConfig(window_seconds=20.0, hop_seconds=None)
    assert (shots.min_seconds, shots.max_seconds, shots.fill_gaps, shots.chosen) == (0.6, 300.0, True, "adaptive")
    assert parse(ShotDetectorConfig, {"threshold": 27}).chosen == "content"
    assert all(value for name, value in to_json(DescribeConfig()).items() if name.startswith("enable_"))


def test_json_keeps_every_field_and_the_wire_leaves_out_none():
    """Stored objects are whole; sent ones have no nulls."""
    config = SegmentationConfig(uniform_config=UniformConfig())

    assert parse(SegmentationConfig, to_json(config)) == config
    assert to_wire(config) == {"strategy": "uniform", "uniform_config": {"window_seconds": 20.0}}


def test_an_object_is_taken_as_it_is():
    """A contract object may be given where data is expected."""
    assert parse(UniformConfig, UniformConfig(window_seconds=5)) == UniformConfig(window_seconds=5)
