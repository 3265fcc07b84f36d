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
        values = [fresh_id(), config.name, config.collection_type, config.description, now_ms()]

        def change(cursor: Any) -> None:
            taken = "select count(*) from base.collections where name = ?"
            if cursor.execute(taken, [config.name]).fetchone() != (0,):
                message = f"There is a collection '{config.name}' already"
                raise Conflict(message, hint="Choose another name.", field="name")
            cursor.execute("insert into base.collections values (?, ?, ?, ?, ?)", values)

        self._store.write(change).result()
        return self.find(config.name)

    def find(self, name: str) -> CollectionRecord:
        """The collection of that id or name.

        Raises:
            NotFound: there is none.
        """
        where = "where collection_id = $1 or name = $1 order by collection_id = $1 desc"
        row = self._store.row(f"{_SELECT} {where}", name)
        if not row:
            known = ", ".join(record.name for record in self.list())
            raise NotFound(f"There is no collection '{name}'", hint=f"Known: {known}.")
        return CollectionRecord(**row)

    def list(self) -> tuple[CollectionRecord, ...]:
        """Every collection, the built-in one first."""
        rows = self._store.rows(f"{_SELECT} order by name <> ?, created_at", EVERYTHING)
        return tuple(CollectionRecord(**row) for row in rows)

    def add(self, collection_id: str, file_ids: Sequence[str]) -> None:
        """Put files in; those that are in stay in.

        Raises:
            InvalidInput: the built-in collection has every file anyway.
            NotFound: there is no such collection, or no such file; then none is put in.
        """
        if self.find(collection_id).name == EVERYTHING:
            message = f"The collection '{EVERYTHING}' holds every file already"
            raise InvalidInput(message, hint="Choose another collection.", field="collection_id")

        def change(cursor: Any) -> None:
            sql = "select file_id from base.files where file_id in (select unnest(?::varchar[]))"
            known = {row[0] for row in cursor.execute(sql, [list(file_ids)]).fetchall()}
            if missing := [file_id for file_id in file_ids if file_id not in known]:
                raise NotFound(f"There is no file {missing[0]}", hint="Add it first: bench.add(path).")
            for file_id in file_ids:
                values = [collection_id, file_id, now_ms()]
                cursor.execute("insert or ignore into base.memberships values (?, ?, ?)", values)

        self._store.write(change).result()

    def members(self, collection_id: str) -> tuple[str, ...]:
        """Ids of the files in a collection, in the order in which they came."""
        everything = "select file_id from base.files order by created_at, file_id"
        some = "select file_id from base.memberships where collection_id = ? order by added_at, file_id"
        if self.find(collection_id).name == EVERYTHING:
            rows = self._store.rows(everything)
        else:
            rows = self._store.rows(some, collection_id)
        return tuple(row["file_id"] for row in rows)
