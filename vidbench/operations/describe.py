"""Describing: speech, scene text, segments and summaries of one file, each of which can be left out."""

from __future__ import annotations

import re

from vidbench.contract.describe import DescribeConfig
from vidbench.contract.media import MediaFacts
from vidbench.contract.segmentation import SegmentationConfig
from vidbench.errors import InvalidInput
from vidbench.operations import segment
from vidbench.operations.plan import Step


def plan(config: DescribeConfig, facts: MediaFacts) -> tuple[Step, ...]:
    """The stages of a description, in the order in which they run."""
    steps = [Step(stage="scan"), _segmentation(config, facts)]
    if config.enable_speech:
        steps.append(Step(stage="speech", config={"language": config.language}, inputs=("scan",)))
    if config.enable_scene_text and facts.media_type != "audio":
        steps.append(Step(stage="scene_text", inputs=("scan",)))
    text = tuple(step.stage for step in steps if step.stage in {"speech", "scene_text"})
    if config.enable_summary:
        steps.append(Step(stage="summary", inputs=("segmentation", *text)))
        text = (*text, "summary")
    if text:
        steps.append(Step(stage="passages", inputs=text))
    return tuple(steps)


def check(config: DescribeConfig, facts: MediaFacts) -> None:
    """Refuse fields that contradict one another.

    A file shorter than a window is fine here: it becomes one segment.

    Raises:
        InvalidInput: names the field.
    """
    if config.language is not None and not re.fullmatch(r"[a-z]{2,3}", config.language):
        raise InvalidInput(
            f"language: '{config.language}' is no ISO 639 code", hint="Give one like en, fr or de.", field="language"
        )
    if config.segmentation_id and config.segmentation_config:
        raise InvalidInput(
            "segmentation_id: cannot be combined with segmentation_config",
            hint="Give one of them.",
            field="segmentation_id",
        )
    if config.segmentation_config:
        segment.check_fields(config.segmentation_config)
        segment.check_range(config.segmentation_config, facts)


def _segmentation(config: DescribeConfig, facts: MediaFacts) -> Step:
    if config.segmentation_id:
        return Step(stage="segmentation", run_id=config.segmentation_id)
    return segment.plan(config.segmentation_config or SegmentationConfig(), facts)[-1]
