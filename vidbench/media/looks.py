"""A first look at a stream: its first decoded frame, and the time stamps of the packets around it.

Nothing but the first frame is decoded; all looks end at a number of packets or after some seconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.media.opening import encrypted, open_media
from vidbench.media.streams import UNKNOWN_TIME_BASE

if TYPE_CHECKING:
    from av.container import InputContainer
    from av.packet import Packet
    from av.stream import Stream

LOOK_SECONDS = 5.0
LOOK_PACKETS = 300
MAX_BAD_PACKETS = 100
STEADY_SECONDS = 0.0025
"""Steps that differ by less are the rounding of a constant rate to milliseconds or to 1/600 s."""
REORDER_PACKETS = 16
"""Time stamps that may still come for earlier places after the last packet seen: H.264's largest delay."""


@dataclass(frozen=True, slots=True)
class Look:
    """What the beginning of a stream shows.

    Args:
        pts: time stamp of the first frame that decodes.
        time_base: seconds a tick.
        frame: the first frame.
        steps: ticks between neighbouring packets, in order of presentation.
    """

    pts: int
    time_base: Fraction
    frame: object
    steps: tuple[int, ...]

    @property
    def start(self) -> Fraction:
        """Seconds at which the stream is first shown or heard, before an origin is subtracted."""
        return self.pts * self.time_base

    @property
    def step(self) -> Fraction:
        """Seconds of the middle step, 0 where there is only one packet."""
        return sorted(self.steps)[len(self.steps) // 2] * self.time_base if self.steps else Fraction(0)

    @property
    def rate(self) -> Fraction | None:
        """Packets a second over what was seen."""
        total = sum(self.steps) * self.time_base
        return (len(self.steps) / total).limit_denominator(1001) if total else None

    @property
    def varies(self) -> bool:
        """Whether neighbours lie at differing distances by more than rounding."""
        if not self.steps:
            return False
        return float((max(self.steps) - min(self.steps)) * self.time_base) > STEADY_SECONDS


def look(path: Path, index: int, *, packets: int = LOOK_PACKETS) -> Look | None:
    """Look at the stream *index*; None where nothing of it can be decoded.

    Args:
        path: a media file.
        index: position of a video or audio stream.
        packets: how many packets to read for the steps; the first frame may need more.

    Raises:
        MediaError: the stream is encrypted, or the file cannot be opened.
    """
    with open_media(path) as container:
        stream = container.streams[index]
        # Asked for while the container is open: afterwards a stream's fields are freed memory.
        time_base = stream.time_base or UNKNOWN_TIME_BASE
        first, stamps, ended = _first(path, container, stream, packets)
    if first is None:
        return None
    ordered = sorted(stamps)
    settled = ordered if ended else ordered[: max(len(ordered) - REORDER_PACKETS, 2)]
    steps = tuple(b - a for a, b in pairwise(settled))
    pts = getattr(first, "pts", None)
    start = pts if pts is not None else (ordered or [0])[0]
    return Look(start, time_base, first, steps)


def _first(path: Path, container: InputContainer, stream: Stream, packets: int) -> tuple[object | None, set[int], bool]:
    first: object | None = None
    stamps: set[int] = set()
    bad = 0
    deadline = time.monotonic() + LOOK_SECONDS
    for number, packet in enumerate(until_broken(container.demux(stream))):
        if packet.has_sidedata("encryption_info"):
            raise encrypted(path)
        _note_stamp(packet, stamps)
        if first is None:
            frames = decoded(packet)
            bad += frames is None
            first = frames[0] if frames else None
        enough = first is not None and number >= packets
        if enough or bad > MAX_BAD_PACKETS or time.monotonic() > deadline:
            return first, stamps, False
    return first, stamps, True


def _note_stamp(packet: Packet[Stream], stamps: set[int]) -> None:
    stamp = packet.pts if packet.pts is not None else packet.dts
    if stamp is not None and not packet.is_discard:
        stamps.add(stamp)


def decoded(packet: Packet[Stream]) -> list[object] | None:
    """The frames that come out of the decoder after *packet*; None where the packet is corrupt."""
    from av import FFmpegError

    try:
        return list(packet.decode())
    except (FFmpegError, OSError, ValueError):
        return None


def until_broken(packets: Iterator[Packet[Stream]]) -> Iterator[Packet[Stream]]:
    """The packets up to the end or to where the file can be read no further."""
    from av import FFmpegError

    while True:
        try:
            packet = next(packets)
        except (StopIteration, FFmpegError, OSError):
            return
        yield packet
