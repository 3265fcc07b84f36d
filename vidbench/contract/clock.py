"""Times for people to read."""

from __future__ import annotations


def clock_text(seconds: float) -> str:
    """*seconds* as ``mm:ss``, or ``h:mm:ss`` from an hour on; whole seconds that have passed.

    Args:
        seconds: a time of the stream's own clock; below zero counts as zero.

    Example:
        >>> clock_text(65.9), clock_text(3725)
        ('01:05', '1:02:05')
    """
    minutes, second = divmod(int(max(seconds, 0.0)), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"
