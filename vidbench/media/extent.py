"""How long a file really is: the end of its last packet, whatever the header says."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.media.looks import until_broken
from vidbench.media.opening import open_media
from vidbench.media.streams import UNKNOWN_TIME_BASE

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.stream import Stream

TAIL_SECONDS = 5
READ_SECONDS = 5.0
MICROSECOND = Fraction(1, 1_000_000)


@dataclass(frozen=True, slots=True)
class Extent:
    """Where the chosen streams end, in seconds before an origin is subtracted.

    Args:
        end: end of the last packet of any chosen stream.
        declared: end by the header, None where it says nothing.
        measured: whether the end was seen; otherwise it is the header's word.
    """

    end: Fraction
    declared: Fraction | None
    measured: bool


def extent(path: Path, indexes: list[int], *, step: Fraction) -> Extent:
    """Find the end of the streams at *indexes* from their last packets; nothing is decoded.

    Reads the tail where the container can seek to it. A file without pictures, or one whose tail
    cannot be reached, is read through for at most five seconds.

    Args:
        path: a media file.
        indexes: streams that count.
        step: seconds of a packet that does not say how long it lasts.
    """
    with open_media(path) as container:
        declared = _declared(container, indexes)
        pictures = any(container.streams[index].type == "video" for index in indexes)
        if pictures and declared is not None and _seek(container, indexes, declared):
            end, whole = _last(container, indexes, step)
            if end is not None and whole:
                return Extent(end, declared, measured=True)
    with open_media(path) as container:
        end, whole = _last(container, indexes, step)
    if end is not None and (whole or declared is None):
        return Extent(end, declared, measured=whole)
    return Extent(declared or Fraction(0), declared, measured=False)


def _declared(container: InputContainer, indexes: list[int]) -> Fraction | None:
    ends = [_stream_end(container.streams[index]) for index in indexes]
    known = [end for end in ends if end is not None]
    if known:
        return max(known)
    if container.duration:
        return (container.duration + (container.start_time or 0)) * MICROSECOND
    return None


def _stream_end(stream: Stream) -> Fraction | None:
    if stream.duration is None:
        return None
    return (stream.duration + (stream.start_time or 0)) * (stream.time_base or UNKNOWN_TIME_BASE)


def _seek(container: InputContainer, indexes: list[int], declared: Fraction) -> bool:
    from av import FFmpegError

    stream = container.streams[indexes[0]]
    target = declared - TAIL_SECONDS
    if target <= 0:
        return True
    try:
        container.seek(int(target / (stream.time_base or UNKNOWN_TIME_BASE)), stream=stream)
    except (FFmpegError, OSError):
        return False
    return True


def _last(container: InputContainer, indexes: list[int], step: Fraction) -> tuple[Fraction | None, bool]:
    end: Fraction | None = None
    deadline = time.monotonic() + READ_SECONDS
    streams = [container.streams[index] for index in indexes]
    for packet in until_broken(container.demux(*streams)):
        packet_end = _packet_end(packet, step)
        if packet_end is not None and (end is None or packet_end > end):
            end = packet_end
        if time.monotonic() > deadline:
            return end, False
    return end, True


def _packet_end(packet: Packet[Stream], step: Fraction) -> Fraction | None:
    stamp = packet.pts if packet.pts is not None else packet.dts
    if stamp is None or packet.is_discard or packet.is_corrupt:
        return None
    length = packet.duration * packet.time_base if packet.duration else Fraction(0)
    if not length and packet.stream.type == "video":
        length = step
    return stamp * packet.time_base + length
