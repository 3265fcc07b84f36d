"""A single frame at a time, for people who point at a timeline."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.errors import InvalidInput, MediaError
from vidbench.media.clock import clock_of
from vidbench.media.decoding import Decoding, Unhurried
from vidbench.media.pictures import jpeg, pictures_of

if TYPE_CHECKING:
    from vidbench.contract.media import MediaFacts


def frame_at(path: Path, facts: MediaFacts, seconds: float, *, max_width: int = 1280) -> bytes:
    """The frame that is on screen at a time, as a JPEG file: upright, on square pixels.

    Seeks to the key frame before and decodes forward to the exact frame. It is the last one that
    begins at or before *seconds*; with the very time of a frame it is that frame.

    Args:
        path: a probed file.
        facts: what the probe found.
        seconds: 0 to the file's duration.
        max_width: display pixels, at least 1; never enlarged.

    Raises:
        InvalidInput: *seconds* or *max_width* is out of range.
        MediaError: the file has no pictures, or none can be decoded there.
    """
    if not 0 <= seconds <= facts.duration_seconds:
        raise InvalidInput(
            f"seconds is {seconds}, but {path.name} runs from 0 to {facts.duration_seconds:.3f}",
            hint="Choose a time inside the file.",
            field="seconds",
        )
    if max_width < 1:
        raise InvalidInput(f"max_width is {max_width}", hint="Choose 1 or more.", field="max_width")
    if facts.video_index is None:
        raise MediaError(f"{path.name} has sound only", hint="Choose a file with pictures.", file=str(path))
    decoding = Decoding(path, facts.video_index, None, threads=1, interrupt=Unhurried())
    frame = decoding.shown_at(clock_of(facts, facts.video_index).ticks(seconds))
    if frame is None:
        raise MediaError(
            f"no picture of {path.name} can be decoded",
            hint="The file was changed or damaged since it was added; add it again.",
            file=str(path),
        )
    return jpeg(pictures_of(facts).shown(frame, max_width))
