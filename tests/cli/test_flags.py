"""Flags are the fields of the configs."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from annotated_types import Ge

from vidbench.cli.flags import add_flags, config_from, flags_of
from vidbench.contract.describe import DescribeConfig
from vidbench.contract.segmentation import SegmentationConfig
from vidbench.contract.validation import parse
from vidbench.errors import InvalidInput
from vidbench.operations import OPERATIONS


@dataclass(frozen=True)
class Inner:
    """Inside.

    Attributes:
        depth: how deep, 0 to 9 %.
    """

    depth: Annotated[int, Ge(0)] | None = None


@dataclass(frozen=True)
class Outer:
    """Outside.

    Attributes:
        loud: whether it is loud; a long story that goes
            on in a second line.
        colour: of the *light*.
        inner: the rest.
    """

    loud: bool = True
    colour: Literal["red", "green"] = "red"
    inner: Inner | None = None
    rest: tuple[str, ...] = ()


def parsed(config: type, *words: str) -> dict:
    """What *words* say about *config*."""
    parser = argparse.ArgumentParser()
    add_flags(parser, config)
    return config_from(parser.parse_args(words))


def test_every_scalar_field_is_a_flag_those_of_inner_configs_included():
    """A new field is a new flag; what has no form on a command line is left out."""
    assert [flag.option for flag in flags_of(Outer)] == ["--loud", "--colour", "--depth"]


def test_the_help_is_the_docstring():
    """Lines are joined and stars dropped."""
    told = {flag.option: flag.help for flag in flags_of(Outer)}

    assert told["--loud"] == "whether it is loud; a long story that goes on in a second line"
    assert told["--colour"] == "of the light"


def test_help_with_a_per_cent_sign_prints(capsys):
    """Text from a docstring is never taken for a format."""
    with pytest.raises(SystemExit):
        parsed(Outer, "--help")

    assert "how deep, 0 to 9 %" in capsys.readouterr().out


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_flag_of_an_operation_is_explained_and_unique(operation):
    """No field lacks its line in the docstring, and no two fields share a flag."""
    flags = list(flags_of(operation.config))

    assert [flag.option for flag in flags if not flag.help] == []
    assert len({flag.option for flag in flags}) == len(flags)


def test_what_is_not_said_is_left_out():
    """The engine's defaults stay the engine's business."""
    assert parsed(DescribeConfig) == {}


def test_values_have_their_types_and_places():
    """Flags become the nested config that the operation reads."""
    config = parsed(DescribeConfig, "--no-enable-scene-text", "--language", "fr", "--window-seconds", "7.5")

    assert config == {
        "enable_scene_text": False,
        "language": "fr",
        "segmentation_config": {"strategy": "uniform", "uniform_config": {"window_seconds": 7.5}},
    }
    assert parse(DescribeConfig, config).segmentation_config is not None


def test_naming_a_field_of_a_strategy_chooses_the_strategy():
    """``--threshold`` alone means shots."""
    assert parsed(SegmentationConfig, "--threshold", "31") == {
        "strategy": "shot-detector",
        "shot_detector_config": {"threshold": 31.0},
    }


@pytest.mark.parametrize(
    "words",
    [
        ("--strategy", "uniform", "--threshold", "31"),
        ("--strategy", "shot-detector", "--hop-seconds", "3"),
        ("--window-seconds", "3", "--min-seconds", "3"),
    ],
)
def test_a_flag_of_another_strategy_is_refused_by_name(words):
    """A flag that would be ignored is an error, not a surprise."""
    with pytest.raises(InvalidInput, match=r"--[a-z-]+ belongs to the strategy") as error:
        parsed(SegmentationConfig, *words)

    assert error.value.field == "strategy"
    assert error.value.hint


@pytest.mark.parametrize("words", [("--strategy", "narrative"), ("--threshold", "high"), ("--no-such", "1")])
def test_what_is_no_value_is_wrong_usage(words, capsys):
    """argparse answers with exit code 2 and names the flag."""
    with pytest.raises(SystemExit) as exit_:
        parsed(SegmentationConfig, *words)

    assert exit_.value.code == 2
    assert words[0] in capsys.readouterr().err
