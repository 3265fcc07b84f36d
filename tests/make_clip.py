"""A small deterministic clip: four scenes with hard cuts between them, and a tone."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import av
import numpy as np

WIDTH, HEIGHT, RATE, SCENE_SECONDS = 320, 240, 25, 6
SOUND_RATE = 16_000


def make_clip(path: Path, *, scenes: int = 4, sound: bool = True) -> Path:
    """Write *scenes* scenes of six seconds to *path* (H.264 and AAC in MP4)."""
    with av.open(str(path), "w") as container:
        video = container.add_stream("libx264", rate=RATE, options={"preset": "ultrafast", "crf": "28"})
        video.width, video.height, video.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        audio = container.add_stream("aac", rate=SOUND_RATE, layout="mono") if sound else None
        for number in range(scenes * SCENE_SECONDS * RATE):
            frame = av.VideoFrame.from_ndarray(_picture(number), format="rgb24")
            container.mux(video.encode(frame))
        container.mux(video.encode())
        if audio is not None:
            for frame in _tone(scenes * SCENE_SECONDS):
                container.mux(audio.encode(frame))
            container.mux(audio.encode())
    return path


def _picture(number: int) -> np.ndarray:
    scene = number // (SCENE_SECONDS * RATE)
    rows, columns = np.mgrid[0:HEIGHT, 0:WIDTH]
    colours = [(200, 40, 40), (40, 200, 60), (50, 60, 220), (230, 220, 40)]
    wave = (np.sin((columns * (scene + 1) + number) / 25.0) + np.cos(rows / (12.0 + 7 * scene))) * 20
    return np.clip(np.array(colours[scene % 4]) + wave[..., None], 0, 255).astype(np.uint8)


def _tone(seconds: int) -> list[av.AudioFrame]:
    frames = []
    for begin in range(0, seconds * SOUND_RATE, 1024):
        times = np.arange(begin, begin + 1024) / SOUND_RATE
        samples = (np.sin(times * 2 * np.pi * 220) * 0.2).astype(np.float32)
        frame = av.AudioFrame.from_ndarray(samples[None, :], format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = SOUND_RATE, begin, Fraction(1, SOUND_RATE)
        frames.append(frame)
    return frames
