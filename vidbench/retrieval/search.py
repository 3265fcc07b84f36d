"""Search over passages: the lexical ranking and the ranking by meaning, fused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from vidbench.retrieval.fusion import fused
from vidbench.retrieval.index import Index, of_files
from vidbench.retrieval.lexical import lexical
from vidbench.retrieval.vectors import cosines

DEPTH = 100
"""How much of each ranking is fused."""


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


def search(
    index: Index, text: str, vector: Sequence[float] | None, file_ids: Sequence[str], limit: int
) -> list[Hit]:
    """The passages of *file_ids* nearest to a question, best first.

    Args:
        index: where to look.
        text: the question.
        vector: its embedding; None searches by words alone.
        file_ids: files to look in.
        limit: how many passages, >= 1.
    """
    by_words = lexical(index, text, file_ids, DEPTH)
    meaning = cosines(index, vector, file_ids) if vector else {}
    by_meaning = sorted(meaning, key=lambda one: -meaning[one])[:DEPTH]
    scores = dict(list(fused([by_words, by_meaning]).items())[:limit])
    if not scores:
        return []
    places = {one: rank for rank, one in enumerate(by_words, 1)}
    columns = "passage_id, row_id, file_id, run_id, kind, text, start_time, end_time"
    wanted = of_files(list(scores)).replace("file_id", "passage_id")
    rows = index.rows(f"select {columns} from passages where {wanted}", *scores)  # noqa: S608 - names are ours
    found = {row["passage_id"]: row for row in rows}
    return [
        Hit(**found[one], score=score, lexical_rank=places.get(one, 0), cosine=meaning.get(one, 0.0))
        for one, score in scores.items()
    ]
