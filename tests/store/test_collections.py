"""Collections and chats."""

from __future__ import annotations

import pytest

from vidbench.contract.chat import ChatCompletion, ChatPayload, Choice, Citation, Message, Usage
from vidbench.contract.collections import CollectionConfig
from vidbench.contract.ids import fresh_id
from vidbench.errors import Conflict, InvalidInput, NotFound
from vidbench.store.schema import EVERYTHING_ID
from vidbench.store.store import Store


def test_all_holds_every_file(store: Store, add_file):
    """The built-in collection counts and lists files that nobody put into it, and takes none."""
    file = add_file("a.mp4")

    assert store.collections.find("all").file_count == 1
    assert store.collections.members(EVERYTHING_ID) == (file.file_id,)
    with pytest.raises(InvalidInput, match="every file already"):
        store.collections.add(EVERYTHING_ID, [file.file_id])


def test_a_file_that_is_in_stays_in(store: Store, add_file):
    """Adding twice is adding once; the count follows."""
    file = add_file("a.mp4")
    collection = store.collections.create(CollectionConfig(name="talks", description="Of 2026"))
    for _ in range(2):
        store.collections.add(collection.id, [file.file_id])

    assert store.collections.find("talks").file_count == 1
    assert store.collections.find(collection.id).description == "Of 2026"
    assert [one.name for one in store.collections.list()] == ["all", "talks"]


def test_one_unknown_file_keeps_all_out(store: Store, add_file):
    """An unknown file is NotFound, and the files beside it are not put in."""
    file = add_file("a.mp4")
    collection = store.collections.create(CollectionConfig(name="talks"))

    with pytest.raises(NotFound, match="nope"):
        store.collections.add(collection.id, [file.file_id, "nope"])
    assert store.collections.members(collection.id) == ()


def test_a_taken_name_is_a_conflict(store: Store):
    """Two collections never share a name, and `all` is taken from the start."""
    with pytest.raises(Conflict, match="all"):
        store.collections.create(CollectionConfig(name="all"))


def test_an_unknown_collection_is_told_what_there_is(store: Store):
    """The hint lists the names."""
    with pytest.raises(NotFound, match="Known: all"):
        store.collections.find("talks")


def make_completion(collection_id: str, created_at: int = 1) -> ChatCompletion:
    """An answer with one citation."""
    citation = Citation(
        collection_id=collection_id, file_id="f1", segment_id="s1", start_time="1.25", end_time="2.5",
        text="licence", context="a licence",
    )  # fmt: skip
    answer = Message(role="assistant", content="It is a licence.")
    return ChatCompletion(
        id=fresh_id(),
        created_at=created_at,
        model="nimbus-001",
        choices=(Choice(index=0, message=answer, citations=(citation,)),),
        payload=ChatPayload(messages=(Message(content="What is it?"),), collections=(collection_id,)),
        usage=Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15),
    )


def test_a_completion_comes_back_as_it_went_in(store: Store):
    """Answer, citations, claims and usage survive the store; the citation is a row with numbers for times."""
    completion = make_completion(EVERYTHING_ID)
    store.chats.add(completion)

    assert store.chats.get(completion.id) == completion
    row = store.row("select chat_id, start_time, end_time, text from citations")
    assert row == {"chat_id": completion.id, "start_time": 1.25, "end_time": 2.5, "text": "licence"}


def test_completions_come_newest_first_and_by_collection(store: Store):
    """The list is cut at the limit and can be of one collection."""
    old, new, other = (make_completion(*one) for one in ((EVERYTHING_ID, 1), (EVERYTHING_ID, 2), ("c2", 3)))
    for completion in (old, new, other):
        store.chats.add(completion)

    assert store.chats.list() == (other, new, old)
    assert store.chats.list(EVERYTHING_ID) == (new, old)
    assert store.chats.list(limit=1) == (other,)


def test_an_unknown_completion_is_not_found(store: Store):
    """An id that no completion has is NotFound."""
    with pytest.raises(NotFound):
        store.chats.get("nope")
