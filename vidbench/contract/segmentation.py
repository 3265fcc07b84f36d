"""Segmentations: how a file is cut into segments of time, and what comes back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Interval

Strategy = Literal["uniform", "shot-detector"]
Detector = Literal["adaptive", "content"]

CONTENT_THRESHOLD = 27.0
"""PySceneDetect's default for ContentDetector, and the contract's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UniformConfig:
    """Windows of equal length; the last one may be shorter.

    Attributes:
        window_seconds: length of a window, 1 to 120 s.
        hop_seconds: distance between starts, 1 to 120 s; None means the window's length.
    """

    window_seconds: Annotated[float, Interval(ge=1, le=120)] = 20.0
    hop_seconds: Annotated[float, Interval(ge=1, le=120)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShotDetectorConfig:
    """Shots between cuts, by PySceneDetect's arithmetic.

    Attributes:
        threshold: content score of a cut, 0 to 255; None means 27. Only the content detector reads it.
        min_seconds: shortest shot, 0.6 to 600 s.
        max_seconds: longest segment, 1 to 600 s; longer shots give several equal segments.
        fill_gaps: whether a shot shorter than *min_seconds* at the end joins its neighbour (True) or is left out.
        detector: None means content when a threshold is given, else adaptive.
    """

    threshold: Annotated[float, Interval(ge=0, le=255)] | None = None
    min_seconds: Annotated[float, Interval(ge=0.6, le=600)] = 0.6
    max_seconds: Annotated[float, Interval(ge=1, le=600)] = 300.0
    fill_gaps: bool = True
    detector: Detector | None = None

    @property
    def chosen(self) -> Detector:
        """The detector used: the one named, or the one that fits the threshold."""
        return self.detector or ("adaptive" if self.threshold is None else "content")


@dataclass(frozen=True, slots=True, kw_only=True)
class ThumbnailsConfig:
    """Whether pictures of segments are wanted."""

    enable_segment_thumbnails: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationConfig:
    """One strategy with its own config, over the whole file or a range of it.

    Attributes:
        strategy: uniform or shot-detector.
        uniform_config: read when the strategy is uniform.
        shot_detector_config: read when the strategy is shot-detector.
        start_time_seconds: where to start, >= 0; None is the beginning.
        end_time_seconds: where to stop, > start; None is the end.
    """

    strategy: Strategy = "uniform"
    uniform_config: UniformConfig | None = None
    shot_detector_config: ShotDetectorConfig | None = None
    start_time_seconds: Annotated[float, Ge(0)] | None = None
    end_time_seconds: Annotated[float, Ge(0)] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of a file: ``[start_time, end_time)`` in seconds."""

    id: str
    start_time: float
    end_time: float
    thumbnail_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot:
    """A stretch between two cuts: ``[start_time, end_time)`` in seconds."""

    index: int
    start_time: float
    end_time: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentationData:
    """A page of segments; shots are always whole."""

    object: Literal["list"] = "list"
    total: int
    limit: int
    offset: int
    segments: tuple[Segment, ...]
    shots: tuple[Shot, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segmentation:
    """The contract's segmentation object; fields that are None are left out on the wire."""

    segmentation_id: str
    status: str
    created_at: int
    file_id: str
    segmentation_config: SegmentationConfig
    thumbnails_config: ThumbnailsConfig = ThumbnailsConfig()
    total_segments: int | None = None
    total_shots: int | None = None
    data: SegmentationData | None = None
