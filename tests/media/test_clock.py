"""Seconds are made in one place, exactly."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from vidbench.media.clock import Clock, clock_of, origin_of
from vidbench.media.probe import probe

NTSC = Fraction(1, 30000)
fractions = st.fractions(min_value=0, max_value=1000, max_denominator=90000)
bases = st.integers(1, 90000).map(lambda ticks: Fraction(1, ticks))


def test_float_multiplication_is_not_enough():
    """The clock's seconds differ from a product of floats for some frames, and are the right ones."""
    clock = Clock(Fraction(0), NTSC)
    stamps = [number * 1001 for number in range(5000)]

    wrong = [pts for pts in stamps if clock.seconds(pts) != pts * float(NTSC)]

    assert wrong
    assert all(clock.seconds(pts) == float(Fraction(pts * 1, 30000)) for pts in stamps)


@given(origin=fractions, base=bases, pts=st.integers(0, 10**9))
def test_ticks_undo_seconds(origin, base, pts):
    """The time of a frame leads back to that frame."""
    clock = Clock(origin, base)

    assert clock.ticks(clock.seconds(pts)) >= pts
    assert clock.seconds(clock.ticks(clock.seconds(pts))) == clock.seconds(pts)


@given(origin=fractions, base=bases, seconds=st.floats(0, 10**5))
def test_ticks_are_the_last_that_have_begun(origin, base, seconds):
    """The tick of a time begins at or before it, and the next one after it."""
    clock = Clock(origin, base)
    ticks = clock.ticks(seconds)

    assert clock.seconds(ticks) <= seconds < clock.seconds(ticks + 1)


def test_origin_is_the_first_picture(shared_media):
    """A file whose pictures start late starts at 0 all the same."""
    facts = probe(shared_media / "odd" / "drv_audio_delayed_2s.mp4")

    assert origin_of(facts) == Fraction(834, 1000)
    assert clock_of(facts, facts.video_index).seconds(25020) == 0.0
    assert clock_of(facts, facts.audio_index).seconds(88200) == float(Fraction(1166, 1000))
