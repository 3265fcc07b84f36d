"""What a decode pass leaves behind."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ScanPlan:
    """What a pass leaves behind.

    Args:
        chunk_seconds: length of what is committed at once.
        thumbnail_seconds: distance of thumbnails.
        thumbnail_width: display pixels, at most.
        sample_seconds: least distance of the frames kept for scene text.
        sample_width: display pixels, at most.
        poster_width: display pixels, at most.
        jpeg_quality: 1 to 95, as Pillow counts.
    """

    chunk_seconds: float = 60.0
    thumbnail_seconds: float = 2.0
    thumbnail_width: int = 320
    sample_seconds: float = 1.0
    sample_width: int = 1280
    poster_width: int = 1280
    jpeg_quality: int = 90
