"""Descriptions: what is said, shown and meant in a file, with times."""

from __future__ import annotations

from dataclasses import dataclass, field

from vidbench.contract.segmentation import SegmentationConfig, Shot


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeConfig:
    """What a description holds. Each part can be switched off.

    Attributes:
        enable_summary: title, summary, and a title and summary for each segment.
        enable_speech: transcript with word times.
        enable_scene_text: text seen in the picture.
        segmentation_config: how the file is cut; None means uniform windows of 20 s.
        segmentation_id: a completed segmentation to use instead; excludes *segmentation_config*.
        language: spoken language as an ISO 639-1 code; None means it is detected.
    """

    enable_summary: bool = True
    enable_speech: bool = True
    enable_scene_text: bool = True
    segmentation_config: SegmentationConfig | None = None
    segmentation_id: str | None = None
    language: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """A spoken word: seconds, and the speech model's confidence from 0 to 1."""

    word: str
    start_time: float
    end_time: float
    confidence: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechLine:
    """One utterance of the transcript.

    Attributes:
        speaker: a label, None where speakers were not told apart.
        text: what is said.
        start_time: seconds.
        end_time: seconds.
        words: each word with its times.
        language: ISO 639-1 code.
        confidence: 0 to 1, the geometric mean of the token probabilities.
        no_speech: 0 to 1, how sure the model is that nothing is said here.
    """

    text: str
    start_time: float
    end_time: float
    speaker: str | None = None
    words: tuple[Word, ...] = ()
    language: str = ""
    confidence: float = 1.0
    no_speech: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneText:
    """Text in the picture, from its first to its last sighting.

    Attributes:
        text: as read.
        start_time: seconds of the first frame that shows it.
        end_time: seconds; half-open.
        confidence: 0 to 1, the best reading's.
        box: left, top, right, bottom as fractions of width and height, of the best reading.
    """

    text: str
    start_time: float
    end_time: float
    confidence: float = 1.0
    box: tuple[float, float, float, float] = (0.0, 0.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentSummary:
    """Title and summary of one segment."""

    title: str
    summary: str
    start_time: float
    end_time: float
    segment_id: str = ""
    thumbnail_url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribeData:
    """Everything a description found; parts that were not asked for are None."""

    content: str | None = None
    title: str | None = None
    summary: str | None = None
    segment_summary: tuple[SegmentSummary, ...] | None = None
    speech: tuple[SpeechLine, ...] | None = None
    scene_text: tuple[SceneText, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Describe:
    """The contract's describe job; fields that are None are left out on the wire."""

    job_id: str
    status: str
    url: str
    duration_seconds: float
    created_at: int
    describe_config: DescribeConfig
    use_in_default_index: bool = False
    segmentation_id: str | None = None
    data: DescribeData | None = None
    error: str | None = None
    shots: tuple[Shot, ...] | None = None
    total_shots: int | None = None
    thumbnail_url: str | None = None
    warnings: tuple[str, ...] = field(default=())
