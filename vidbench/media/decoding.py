"""Decoding in order: each picture once, with rising time stamps, from the start or from a checkpoint.

Corrupt packets, pictures without a usable time and pictures that would go back in time are counted
and left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from vidbench.errors import MediaError
from vidbench.media.looks import decoded, until_broken
from vidbench.media.opening import open_media
from vidbench.media.streams import codec_name

if TYPE_CHECKING:
    from av.audio.frame import AudioFrame
    from av.container import InputContainer
    from av.packet import Packet
    from av.stream import Stream
    from av.video.frame import VideoFrame

    from vidbench.contract.work import Interrupt

BACK_SECONDS = (0, 4, 30)
"""How far before the wanted picture a seek goes, should the nearer one land too late."""


RANDOM_ACCESS = "av1 dnxhd h263 h264 hevc mjpeg mpeg1video mpeg2video mpeg4 prores theora vc1 vp8 vp9 vvc wmv3"
"""Codecs whose key frames stand alone; screen recorders' often do not, so those are decoded from the start."""


class Unhurried:
    """An Interrupt that never comes, for work of a few milliseconds."""

    cancelled = False
    preempted = False

    def check(self) -> None:
        """Go on."""


@dataclass(slots=True)
class Decoding:
    """How one file is decoded.

    Args:
        path: a probed media file.
        video: stream of pictures, None where there are none.
        audio: stream of sound, None where there is none or it is not wanted.
        threads: cores for the decoder of pictures.
        interrupt: asked before each packet.
        hear: is given each frame of sound.
        skipped: packets and pictures left out so far.
    """

    path: Path
    video: int | None
    audio: int | None
    threads: int
    interrupt: Interrupt
    hear: Callable[[AudioFrame], None] | None = None
    skipped: int = 0

    def from_start(self) -> Iterator[VideoFrame]:
        """All pictures in order; sound goes to ``hear`` on the way."""
        with open_media(self.path) as container:
            yield from self._rising(self._decode(container), last=None)

    def sound(self) -> None:
        """Only the sound, from the start."""
        with open_media(self.path) as container:
            for _ in self._decode(container, pictures=False):
                pass

    def after(self, last: int) -> Iterator[VideoFrame]:
        """The picture at time stamp *last*, then all that follow it; sound is not read."""
        # In a damaged stream a picture may differ with where decoding began.
        for back in BACK_SECONDS if self.skipped == 0 else ():
            found = self._from(self._from_key_frame(last, back), last)
            first = next(found, None)
            if first is not None:
                yield first
                yield from found
                return
        again = self._from(self._replay(), last)
        first = next(again, None)
        if first is None:
            raise MediaError(
                f"{self.path.name} no longer holds the picture that the last pass ended on",
                hint="The file was changed: add it again.",
                file=str(self.path),
            )
        yield first
        yield from again

    def shown_at(self, pts: int) -> VideoFrame | None:
        """The picture that is on screen at *pts*: the last one that does not begin later.

        Before the first picture that is the first one; None where nothing can be decoded.
        """
        for back in BACK_SECONDS:
            shown = _last_until(self._from_key_frame(pts, back), pts)
            if shown is not None:
                return shown
        return _last_until(self._replay(), pts)

    def _replay(self) -> Iterator[VideoFrame]:
        with open_media(self.path) as container:
            yield from self._decode(container, sound=False)

    def _from_key_frame(self, pts: int, back: int) -> Iterator[VideoFrame]:
        """Pictures from a key frame at or before *pts* on; nothing where the seek lands behind it."""
        assert self.video is not None
        with open_media(self.path) as container:
            stream = container.streams[self.video]
            ticks = int(back / stream.time_base) if stream.time_base else 0
            if codec_name(stream) not in RANDOM_ACCESS.split() or not _seek(container, stream, pts - ticks):
                return
            frames = self._decode(container, sound=False)
            # Pictures before the first key frame lack what they refer to, and so do those that are
            # shown before it.
            first = next((frame for frame in frames if frame.key_frame), None)
            if first is None or first.pts is None or first.pts > pts:
                return
            yield from chain([first], frames)

    def _from(self, frames: Iterator[VideoFrame], last: int) -> Iterator[VideoFrame]:
        before = self.skipped
        for frame in frames:
            if frame.pts == last:
                # What was left out up to here has been counted by the pass that came this far.
                self.skipped = before
                yield frame
                yield from self._rising(frames, last=last)
            # Accepted time stamps rise, so behind a later one the wanted one cannot come.
            if frame.pts is not None and frame.pts >= last:
                return

    def _rising(self, frames: Iterator[VideoFrame], last: int | None) -> Iterator[VideoFrame]:
        for frame in frames:
            if frame.pts is None or (last is not None and frame.pts <= last):
                self.skipped += 1
                continue
            last = frame.pts
            yield frame

    def _decode(self, container: InputContainer, *, pictures: bool = True, sound: bool = True) -> Iterator[VideoFrame]:
        wanted = [self.video if pictures else None, self.audio if sound else None]
        streams = [container.streams[index] for index in wanted if index is not None]
        if pictures and self.video is not None:
            _use_threads(container, self.video, self.threads)
        for packet in until_broken(container.demux(*streams)):
            self.interrupt.check()
            yield from self._frames(packet)

    def _frames(self, packet: Packet[Stream]) -> Iterator[VideoFrame]:
        from av import AudioFrame, VideoFrame

        frames = decoded(packet)
        if frames is None:
            self.skipped += 1
            return
        for frame in frames:
            # The packets that empty the decoders at the end name no stream, so the frame itself is asked.
            if isinstance(frame, VideoFrame):
                yield frame
            elif self.hear is not None and isinstance(frame, AudioFrame):
                self.hear(frame)


def _last_until(frames: Iterator[VideoFrame], pts: int) -> VideoFrame | None:
    shown: VideoFrame | None = None
    for frame in frames:
        if frame.pts is None:
            continue
        if shown is not None and frame.pts > pts:
            break
        if shown is None or shown.pts is None or frame.pts > shown.pts:
            shown = frame
    return shown


def _use_threads(container: InputContainer, index: int, threads: int) -> None:
    context = container.streams[index].codec_context
    context.thread_count = max(threads, 1)
    context.thread_type = "AUTO" if threads > 1 else "NONE"


def _seek(container: InputContainer, stream: Stream, pts: int) -> bool:
    from av import FFmpegError

    try:
        container.seek(pts, stream=stream)
    except (FFmpegError, OSError):
        return False
    return True
