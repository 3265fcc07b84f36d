"""Chat completions and their citations."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vidbench.contract.chat import ChatCompletion
from vidbench.contract.validation import parse, to_json
from vidbench.errors import NotFound

if TYPE_CHECKING:
    from vidbench.store.store import Store


class Chats:
    """The chat completions of a workspace."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def add(self, completion: ChatCompletion) -> None:
        """Keep a completion and its citations."""
        choice = completion.choices[0]
        question = completion.payload.messages[-1].content
        values = [completion.id, completion.payload.collections[0], completion.created_at, question]
        values += [choice.message.content, completion.answered, json.dumps(to_json(completion))]

        def change(cursor: Any) -> None:
            cursor.execute("insert into base.chats values (?, ?, ?, ?, ?, ?, ?)", values)
            for ordinal, one in enumerate(choice.citations):
                row = [completion.id, ordinal, one.collection_id, one.file_id, one.segment_id]
                row += [float(one.start_time), float(one.end_time), one.text, one.context]
                cursor.execute("insert into base.citations values (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

        self._store.write(change).result()

    def get(self, chat_id: str) -> ChatCompletion:
        """The completion of that id.

        Raises:
            NotFound: there is none.
        """
        row = self._store.row("select completion from base.chats where chat_id = ?", chat_id)
        if not row:
            raise NotFound(f"There is no chat completion {chat_id}")
        return parse(ChatCompletion, json.loads(row["completion"]))

    def list(self, collection_id: str = "", limit: int = 50) -> tuple[ChatCompletion, ...]:
        """Completions, newest first; of one collection if it is named."""
        sql = """
            select completion from base.chats where ? in ('', collection_id)
            order by created_at desc, chat_id desc limit ?
        """
        rows = self._store.rows(sql, collection_id, limit)
        return tuple(parse(ChatCompletion, json.loads(row["completion"])) for row in rows)
