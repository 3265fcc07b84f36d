"""The one place where seconds are made (law 3).

A time stamp counts ticks of its stream's time base. Time zero of a file is its *origin*: the first
picture that is shown, or the first sound where there are no pictures. Sound that lies before the
first picture has negative times. Edit lists have been applied before time stamps come here.

Sums of exact fractions, rounded once, give equal floats for equal frames; ``pts * float(time_base)``
and ``number / rate`` do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidbench.contract.media import MediaFacts


@dataclass(frozen=True, slots=True)
class Clock:
    """Time stamps of one stream as seconds of its file.

    Args:
        origin: seconds that time zero of the file lies at.
        time_base: seconds a tick.

    Example:
        >>> clock = Clock(Fraction(834, 1000), Fraction(1, 30000))
        >>> clock.seconds(25020), clock.seconds(26021) == float(Fraction(1001, 30000))
        (0.0, True)
    """

    origin: Fraction
    time_base: Fraction

    def seconds(self, pts: int) -> float:
        """Seconds from time zero to the time stamp *pts*, rounded once."""
        return float(pts * self.time_base - self.origin)

    def ticks(self, seconds: float) -> int:
        """The last time stamp at or before *seconds*.

        Example:
            >>> Clock(Fraction(0), Fraction(1, 25)).ticks(0.08)
            2
        """
        found = int((Fraction(seconds) + self.origin) // self.time_base)
        return found + 1 if self.seconds(found + 1) <= seconds else found


def origin_of(facts: MediaFacts) -> Fraction:
    """Seconds that are subtracted from every time stamp of the file."""
    return Fraction(facts.origin)


def clock_of(facts: MediaFacts, index: int) -> Clock:
    """The clock of the stream at *index* of a probed file."""
    return Clock(origin_of(facts), Fraction(facts.streams[index].time_base))
