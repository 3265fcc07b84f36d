"""Segmentation: uniform windows from the duration, shots from the stored score curve."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from vidbench.contract.media import MediaFacts
from vidbench.contract.segmentation import SegmentationConfig, ShotDetectorConfig, UniformConfig
from vidbench.contract.validation import parse
from vidbench.contract.work import Batch, Interrupt, Row, Unit
from vidbench.operations.stages import Models
from vidbench.perception.curve import Curve
from vidbench.perception.shots import Span, find_cuts, segments_of, shots_of
from vidbench.perception.uniform import windows_of

NO_CUT = "No cut was found in this range; choose the uniform strategy, or a lower threshold."
NO_PICTURES = "There are no pictures to find shots in; choose the uniform strategy."


def run(unit: Unit, _models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Rows ``segments``, and ``shots`` where shots were asked for; not applicable where there is no cut.

    Raises:
        StoreError: the score curve cannot be read.
    """
    interrupt.check()
    config = parse(SegmentationConfig, unit.config)
    facts = parse(MediaFacts, unit.facts, strict_fields=False)
    yield divided(config, facts, unit.inputs.get("curve", ()))


def divided(config: SegmentationConfig, facts: MediaFacts, curve: Sequence[str]) -> Batch:
    """The whole segmentation of a file, as the one Batch of its stage; a retune asks for the same.

    Args:
        config: strategy, its own config and the range.
        facts: duration and frame rate.
        curve: paths of the score curve's chunks; read for shots only.
    """
    start, end = _range(config, facts.duration_seconds)
    if config.strategy == "uniform":
        return _batch(windows_of(config.uniform_config or UniformConfig(), start, end), [])
    if not facts.frame_rate or not curve:
        return _not_applicable(NO_PICTURES)
    wish = config.shot_detector_config or ShotDetectorConfig()
    shots = shots_of(find_cuts(Curve.load(curve), wish, Fraction(facts.frame_rate)), start, end)
    if len(shots) < 2:
        return _not_applicable(NO_CUT)
    return _batch(segments_of(shots, wish), shots)


def _range(config: SegmentationConfig, duration: float) -> Span:
    start = config.start_time_seconds or 0.0
    end = duration if config.end_time_seconds is None else min(config.end_time_seconds, duration)
    return min(start, end), end


def _batch(segments: list[Span], shots: list[Span]) -> Batch:
    rows = {"segments": _rows(segments), "shots": _rows(shots)}
    return Batch(
        rows={table: found for table, found in rows.items() if found},
        progress=1.0,
        result={"segments": len(segments), **({"shots": len(shots)} if shots else {})},
    )


def _not_applicable(message: str) -> Batch:
    return Batch(progress=1.0, result={"not_applicable": True, "message": message})


def _rows(spans: list[Span]) -> list[Row]:
    return [{"ordinal": ordinal, "start_time": start, "end_time": end} for ordinal, (start, end) in enumerate(spans)]
