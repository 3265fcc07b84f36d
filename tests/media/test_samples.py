"""Frames for scene text: everything new that stands still, and no more."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest

from vidbench.media.samples import GRID, MOVING_SECONDS, SampleChooser, crossed

WIDTH, HEIGHT = GRID


def blank(value=50):
    return np.full((HEIGHT, WIDTH), value, np.uint8)


def titled(row):
    picture = blank()
    picture[row : row + 2, 20:60] = 220
    return picture


def noise(seed):
    return np.random.default_rng(seed).integers(0, 255, (HEIGHT, WIDTH), dtype=np.uint8)


def kept(pictures, chooser=None, *, start=0, every=1.0):
    chooser = chooser or SampleChooser(every)
    return [start + n for n, grey in enumerate(pictures) if chooser.keeps((start + n) / 4, grey)]


def test_still_picture_once():
    """A picture that does not change is kept once."""
    assert kept([blank()] * 100) == [0]


def test_every_title_once():
    """Each title is kept once, when it stands still."""
    pictures = [blank()] * 8 + [titled(10)] * 8 + [titled(30)] * 8

    assert kept(pictures) == [0, 9, 17]


def test_noise_is_nothing_new():
    """Compression noise does not make a picture new."""
    pictures = [np.clip(blank() + noise(n) // 20, 0, 255).astype(np.uint8) for n in range(40)]

    assert kept(pictures) == [0]


def test_motion_is_sampled_sparsely():
    """Where nothing ever stands still, one is kept every few seconds."""
    assert kept([noise(n) for n in range(int(MOVING_SECONDS * 4) * 2 + 1)]) == [0, 24, 48]


def test_distance():
    """Two kept frames lie at least the asked seconds apart."""
    pictures = [picture for row in range(0, 50, 5) for picture in [titled(row)] * 2]

    found = kept(pictures, every=1.0)

    assert min(b - a for a, b in pairwise(found)) >= 4


@pytest.mark.parametrize("cut", range(1, 24))
def test_state_goes_on(cut):
    """A chooser that was put away as JSON decides as one that was not."""
    pictures = [blank()] * 5 + [titled(10)] * 6 + [noise(n) for n in range(8)] + [titled(30)] * 5
    first, second = SampleChooser(1.0), SampleChooser(1.0)
    before = kept(pictures[:cut], first)
    second.restore(json.loads(json.dumps(first.state())))

    assert before + kept(pictures[cut:], second, start=cut) == kept(pictures)


def test_crossing():
    """The first frame at or after each multiple of a step is due."""
    times = [0.0, 0.9, 1.1, 1.9, 2.0, 2.1, 6.3]
    befores = [None, *times]

    due = [now for before, now in zip(befores, times, strict=False) if crossed(2.0, before, now)]

    assert due == [0.0, 2.0, 6.3]
