"""Queries: one SELECT over everything that was found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A result column and its DuckDB type."""

    name: str
    type: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryUsage:
    """What a query touched and took."""

    files_scanned: int = 0
    entity_rows: int = 0
    segment_entity_rows: int = 0
    engine_ms: int = 0
    total_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The contract's query result."""

    id: str
    status: str
    created_at: int
    sql: str
    columns: tuple[Column, ...] | None
    rows: tuple[dict[str, Any], ...] | None
    row_count: int
    collections: tuple[str, ...] = ()
    truncated: bool = False
    dry_run: bool = False
    usage: QueryUsage = QueryUsage()
    format: Literal["json"] = "json"
    object: Literal["query_result"] = "query_result"
