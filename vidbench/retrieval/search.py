"""Search over passages: the lexical ranking and the ranking by meaning, fused."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from vidbench.retrieval.fusion import fused
from vidbench.retrieval.index import Index
from vidbench.retrieval.lexical import lexical
from vidbench.retrieval.vectors import Closeness, Vector

DEPTH = 100
"""How much of each ranking is fused, at least."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A passage that was found.

    Attributes:
        passage_id: the passage.
        row_id: the row it was made from.
        file_id: its file.
        run_id: the passages' run.
        kind: speech, scene_text, segment_summary or summary.
        text: what it says.
        start_time: seconds.
        end_time: seconds.
        score: the fused score; only its order means something.
        lexical_rank: place by words, from 1; 0 where it shares none.
        cosine: closeness in meaning, -1 to 1; 0 where there are no vectors.
    """

    passage_id: str
    row_id: str
    file_id: str
    run_id: str
    kind: str
    text: str
    start_time: float
    end_time: float
    score: float
    lexical_rank: int
    cosine: float


def search(index: Index, text: str, vector: Vector | None, file_ids: Collection[str] | None, limit: int) -> list[Hit]:
    """The passages nearest to a question, best first.

    Args:
        index: where to look.
        text: the question, in any words.
        vector: its embedding; None searches by words alone. Passages with vectors of another length, made
            by another model, are found by words alone.
        file_ids: files to look in; None means all.
        limit: how many passages, >= 1.
    """
    depth = max(DEPTH, limit)
    by_words = lexical(index, text, file_ids, depth)
    rankings, closeness = [by_words], None
    if vector is not None and len(vector):
        closeness = Closeness(index.matrix(len(vector)), vector)
        rankings.append(closeness.nearest(file_ids, depth))
    scores = dict(list(fused(rankings).items())[:limit])
    places = {one: rank for rank, one in enumerate(by_words, 1)}
    return [
        Hit(
            **row,
            score=scores[one],
            lexical_rank=places.get(one, 0),
            cosine=closeness.of(one) if closeness else 0.0,
        )
        for one, row in _passages(index, list(scores)).items()
    ]


def _passages(index: Index, passage_ids: list[str]) -> dict[str, dict[str, Any]]:
    """The passages of *passage_ids*, in that order."""
    sql = """
        select passage_id, row_id, file_id, run_id, kind, text, start_time, end_time from passages
        where passage_id in (select value from json_each(?))
    """
    found = {row["passage_id"]: row for row in index.rows(sql, json.dumps(passage_ids))}
    return {one: found[one] for one in passage_ids if one in found}
