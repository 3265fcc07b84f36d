"""Segmenting: uniform windows from the duration alone, shots from the stored score curve."""

from __future__ import annotations

from dataclasses import replace

from vidbench.contract.media import MediaFacts
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig, UniformConfig
from vidbench.contract.validation import to_json
from vidbench.errors import InvalidInput
from vidbench.operations.plan import Step


def plan(config: SegmentationConfig, _facts: MediaFacts) -> tuple[Step, ...]:
    """The stages a segmentation needs: shots need the scan, windows do not."""
    config = completed(config)
    if config.strategy == "uniform":
        return (Step(stage="segmentation", config=to_json(config)),)
    return (
        Step(stage="scan"),
        Step(stage="segmentation", config=to_json(config), inputs=("scan",)),
    )


def completed(config: SegmentationConfig) -> SegmentationConfig:
    """*config* with the chosen strategy's own config filled in, so that equal wishes have equal keys."""
    if config.strategy == "uniform":
        return replace(config, uniform_config=config.uniform_config or UniformConfig())
    shots = config.shot_detector_config or ShotDetectorConfig()
    return replace(config, shot_detector_config=replace(shots, detector=shots.chosen))


def check(config: SegmentationConfig, facts: MediaFacts) -> None:
    """Refuse what the types allow but no file can give.

    Raises:
        InvalidInput: names the field.
    """
    check_fields(config)
    check_range(config, facts)
    if config.strategy == "shot-detector" and facts.media_type != "video":
        raise InvalidInput(
            "strategy: this file has no pictures to find shots in",
            hint="Use uniform.",
            field="strategy",
        )
    window = (config.uniform_config or UniformConfig()).window_seconds
    if config.strategy == "uniform" and window > facts.duration_seconds:
        raise InvalidInput(
            f"uniform_config.window_seconds: the file lasts {facts.duration_seconds:.2f} s, less than a window "
            f"of {window:g} s",
            hint="Choose a shorter window.",
            field="uniform_config.window_seconds",
        )


def check_fields(config: SegmentationConfig) -> None:
    """Refuse fields that contradict one another.

    Raises:
        InvalidInput: names the field.
    """
    shots = config.shot_detector_config
    if config.strategy == "uniform" and shots is not None:
        raise InvalidInput(
            "shot_detector_config: the strategy is uniform",
            hint="Leave it out.",
            field="shot_detector_config",
        )
    if config.strategy == "shot-detector" and config.uniform_config is not None:
        raise InvalidInput(
            "uniform_config: the strategy is shot-detector",
            hint="Leave it out.",
            field="uniform_config",
        )
    if shots is not None and shots.detector == "adaptive" and shots.threshold is not None:
        raise InvalidInput(
            "shot_detector_config.threshold: the adaptive detector has no such threshold",
            hint="Leave it out, or choose detector='content'.",
            field="shot_detector_config.threshold",
        )
    if shots is not None and shots.min_seconds > shots.max_seconds:
        raise InvalidInput(
            "shot_detector_config.min_seconds: is above max_seconds",
            hint="Choose min_seconds <= max_seconds.",
            field="shot_detector_config.min_seconds",
        )


def check_range(config: SegmentationConfig, facts: MediaFacts) -> None:
    """Refuse a time range that is empty or lies behind the file's end.

    Raises:
        InvalidInput: names the field.
    """
    start, end = config.start_time_seconds or 0.0, config.end_time_seconds
    if start >= facts.duration_seconds > 0:
        raise InvalidInput(
            f"start_time_seconds: {start:g} s is behind the file's end at {facts.duration_seconds:.2f} s",
            field="start_time_seconds",
        )
    if end is not None and end <= start:
        raise InvalidInput("end_time_seconds: must be above start_time_seconds", field="end_time_seconds")
