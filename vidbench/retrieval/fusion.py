"""Several rankings made one."""

from __future__ import annotations

from collections.abc import Sequence

K = 60
"""The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


def fused(rankings: Sequence[Sequence[str]]) -> dict[str, float]:
    """Id -> the sum over *rankings* of ``1 / (K + rank)``, best first; equal sums keep their first order.

    Example:
        >>> list(fused([["a", "b"], ["b", "c"]]))
        ['b', 'a', 'c']
    """
    scores: dict[str, float] = {}
    for ranking in rankings:
        for rank, one in enumerate(ranking, 1):
            scores[one] = scores.get(one, 0.0) + 1.0 / (K + rank)
    return dict(sorted(scores.items(), key=lambda item: -item[1]))
