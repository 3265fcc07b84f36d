"""The outbox: what the search index has to learn, in the order in which it was committed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vidbench.store.store import Store


@dataclass(frozen=True, slots=True)
class Entry:
    """One change: run *run_id* is to be taken into the index."""

    seq: int
    run_id: str
    action: str


class Outbox:
    """The entries of a workspace; they are kept, so that an index can be built anew."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def pending(self, after: int) -> list[Entry]:
        """The entries behind number *after*."""
        rows = self._store.rows("select seq, run_id, action from base.outbox where seq > ? order by seq", after)
        return [Entry(**row) for row in rows]
