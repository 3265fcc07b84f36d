"""Passages that share words with a question, ranked by BM25 (Robertson and Zaragoza 2009; SQLite FTS5, 4.1)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from vidbench.retrieval.index import Index, of_files

STOP_WORDS = frozenset(
    (
        *("a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could", "did", "do", "does"),
        *("for", "from", "had", "has", "have", "he", "her", "his", "how", "i", "if", "in", "into", "is", "it", "its"),
        *("me", "of", "on", "or", "our", "say", "says", "she", "so", "that", "the", "their", "them", "there", "these"),
        *("they", "this", "to", "us", "video", "videos", "was", "we", "were", "what", "when", "where", "which", "who"),
        *("why", "will", "with", "would", "you", "your"),
    )
)
"""Words of a question that say nothing of what is asked for."""


def match_expression(text: str) -> str:
    """*text* as an FTS5 query: its words, quoted and joined by OR; empty where it has none.

    Example:
        >>> match_expression('What is "sharing"?')
        '"sharing"'
    """
    words = list(dict.fromkeys(word.lower() for word in re.findall(r"\w+", text)))
    telling = [word for word in words if word not in STOP_WORDS]
    return " OR ".join(f'"{word}"' for word in telling or words)


def lexical(index: Index, text: str, file_ids: Sequence[str], limit: int) -> list[str]:
    """Ids of the passages of *file_ids* that share words with *text*, best first."""
    expression = match_expression(text)
    if not expression or not file_ids:
        return []
    sql = f"""
        select p.passage_id from words join passages p on p.number = words.rowid
        where words match ? and p.{of_files(file_ids)} order by bm25(words), p.number limit ?
    """  # noqa: S608 - only places are put in
    return [row["passage_id"] for row in index.rows(sql, expression, *file_ids, limit)]
