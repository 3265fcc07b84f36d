"""Collections and their members."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from vidbench.contract.collections import EVERYTHING, CollectionConfig, CollectionRecord
from vidbench.contract.ids import fresh_id, now_ms
from vidbench.errors import Conflict, InvalidInput, NotFound

if TYPE_CHECKING:
    from vidbench.store.store import Store

_SELECT = """
select collection_id as id, name, collection_type, description, created_at, file_count from main.collections
"""


class Collections:
    """The collections of a workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create(self, config: CollectionConfig) -> CollectionRecord:
        """Make a collection.

        Raises:
            Conflict: the name is taken.
        """
        if self._store.row("select 1 from base.collections where name = ?", config.name):
            raise Conflict(f"There is a collection '{config.name}' already", hint="Choose another name.", field="name")
        values = [fresh_id(), config.name, config.collection_type, config.description, now_ms()]
        sql = "insert into base.collections values (?, ?, ?, ?, ?)"
        self._store.write(lambda cursor: cursor.execute(sql, values)).result()
        return self.find(config.name)

    def find(self, name: str) -> CollectionRecord:
        """The collection of that id or name.

        Raises:
            NotFound: there is none.
        """
        row = self._store.row(f"{_SELECT} where collection_id = ? or name = ?", name, name)
        if not row:
            known = ", ".join(record.name for record in self.list())
            raise NotFound(f"There is no collection '{name}'", hint=f"Known: {known}.")
        return CollectionRecord(**row)

    def list(self) -> list[CollectionRecord]:
        """Every collection, the built-in one first."""
        rows = self._store.rows(f"{_SELECT} order by name <> ?, created_at", EVERYTHING)
        return [CollectionRecord(**row) for row in rows]

    def add(self, collection_id: str, file_ids: Sequence[str]) -> None:
        """Put files in; those that are in stay in.

        Raises:
            InvalidInput: the built-in collection has every file anyway.
        """
        if self.find(collection_id).name == EVERYTHING:
            raise InvalidInput("The collection 'all' holds every file already", hint="Choose another collection.")

        def change(cursor: Any) -> None:
            for file_id in file_ids:
                values = [collection_id, file_id, now_ms()]
                cursor.execute("insert or ignore into base.memberships values (?, ?, ?)", values)

        self._store.write(change).result()

    def members(self, collection_id: str) -> list[str]:
        """Ids of the files in a collection."""
        if self.find(collection_id).name == EVERYTHING:
            return [row["file_id"] for row in self._store.rows("select file_id from base.files order by created_at")]
        sql = "select file_id from base.memberships where collection_id = ? order by added_at, file_id"
        return [row["file_id"] for row in self._store.rows(sql, collection_id)]
