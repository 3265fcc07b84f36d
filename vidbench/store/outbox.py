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
        """What an index that knows everything up to number *after* has to take in, in order.

        Of each file only the last entry counts, as it replaces what was there. An index that is ahead of the
        store, because an older copy of the store was put back, gets everything again.
        """
        sql = """
            select o.seq, o.run_id, o.action from base.outbox o join base.runs r on r.run_id = o.run_id
            where o.seq > case when $1 > (select coalesce(max(seq), 0) from base.outbox) then 0 else $1 end
            qualify row_number() over (partition by r.file_id order by o.seq desc) = 1 order by o.seq
        """
        return [Entry(**row) for row in self._store.rows(sql, after)]
