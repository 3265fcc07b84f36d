"""Passages that share words with a question, ranked by BM25 (Robertson and Zaragoza 2009; SQLite FTS5, 5.1.1)."""

from __future__ import annotations

import json
import re
from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidbench.retrieval.index import Index

MOST_WORDS = 100
"""Words of a question that are looked for; FTS5 refuses expressions that are much larger."""

STOP_WORDS = frozenset(
    (
        *("a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "by", "can", "could"),
        *("did", "do", "does", "for", "from", "had", "has", "have", "he", "her", "his", "how"),
        *("i", "if", "in", "into", "is", "it", "its", "me", "of", "on", "or", "our", "say"),
        *("says", "she", "so", "that", "the", "their", "them", "there", "these", "they", "this"),
        *("to", "us", "video", "videos", "was", "we", "were", "what", "when", "where", "which"),
        *("who", "why", "will", "with", "would", "you", "your"),
    )
)
"""Words of a question that say nothing of what is asked for."""


def match_expression(text: str) -> str:
    """*text* as an FTS5 query: its words, quoted and joined by OR; empty where it has none.

    Quoted words are never read as FTS5 syntax, so any text is safe.

    Example:
        >>> match_expression('What is "sharing" NEAR(licence*)?')
        '"sharing" OR "near" OR "licence"'
    """
    words = list(dict.fromkeys(word.lower() for word in re.findall(r"[^\W_]+", text)))
    telling = [word for word in words if word not in STOP_WORDS]
    return " OR ".join(f'"{word}"' for word in (telling or words)[:MOST_WORDS])


def lexical(index: Index, text: str, file_ids: Collection[str] | None, limit: int) -> list[str]:
    """Ids of the passages of *file_ids* that share words with *text*, best first; None means every file."""
    expression = match_expression(text)
    if not expression:
        return []
    sql = """
        select p.passage_id from words join passages p on p.number = words.rowid
        where words match ?1 and (?2 is null or p.file_id in (select value from json_each(?2)))
        order by bm25(words), p.number limit ?3
    """
    files = None if file_ids is None else json.dumps(list(file_ids))
    return [row["passage_id"] for row in index.rows(sql, expression, files, limit)]
