"""Uniform segments: windows of one length at a steady hop."""

from __future__ import annotations

from vidbench.contract.segmentation import UniformConfig
from vidbench.perception.shots import Span

SHORTEST_SECONDS = 1e-6
"""A rest below this is rounding, not media."""


def windows_of(config: UniformConfig, start: float, end: float) -> list[Span]:
    """Windows from *start* on; the last one ends at *end* and may be shorter.

    A window starts at every hop. The first one that reaches *end* is the last, so that with overlapping windows
    nothing is said twice about the same rest.

    Args:
        config: length and hop in seconds.
        start: seconds, where the first window starts.
        end: seconds, where the last one ends.

    Example:
        >>> windows_of(UniformConfig(window_seconds=20), 0.0, 45.0)
        [(0.0, 20.0), (20.0, 40.0), (40.0, 45.0)]
        >>> windows_of(UniformConfig(window_seconds=20, hop_seconds=10), 0.0, 35.0)
        [(0.0, 20.0), (10.0, 30.0), (20.0, 35.0)]
    """
    hop = config.hop_seconds or config.window_seconds
    windows: list[Span] = []
    while (begin := start + len(windows) * hop) < end - SHORTEST_SECONDS:
        following = start + (len(windows) + 1) * hop
        windows.append((begin, _end(begin + config.window_seconds, following, end)))
        if hop < config.window_seconds and windows[-1][1] == end:
            break
    return windows


def _end(full: float, following: float, end: float) -> float:
    """Where a window ends: neighbours that touch share one value, and the last ends with the media."""
    if full >= end - SHORTEST_SECONDS:
        return end
    return following if abs(full - following) < SHORTEST_SECONDS else full
