"""The writer thread: groups, culprits, order, and readers beside it."""

from __future__ import annotations

import threading
import time
from concurrent.futures import wait

import pytest

from vidbench.errors import Conflict, StoreError
from vidbench.store.store import Store


@pytest.fixture
def numbers(store: Store) -> Store:
    """A store with an empty table of numbers."""
    store.write(lambda cursor: cursor.execute("create table base.numbers (n integer primary key)")).result()
    return store


def insert(number: int):
    """A change that adds a number."""
    return lambda cursor: cursor.execute("insert into base.numbers values (?)", [number])


def content(store: Store) -> list[int]:
    """The numbers, in the order in which they were written."""
    return [row["n"] for row in store.rows("select n from base.numbers order by rowid")]


def test_only_the_culprit_of_a_group_fails(numbers: Store):
    """Of writes that share a transaction the one that fails is left out, and the others are there."""

    def refuse(cursor):
        insert(99)(cursor)
        raise Conflict("No")

    changes = [insert(1), refuse, insert(2), insert(1), insert(3)]
    futures = [numbers.write(change, urgent=False) for change in changes]
    wait(futures)

    assert [type(future.exception()) for future in futures] == [
        type(None), Conflict, type(None), StoreError, type(None),
    ]  # fmt: skip
    assert content(numbers) == [1, 2, 3]


def test_writes_nobody_hurries_share_a_transaction(numbers: Store):
    """A hundred writes that are not urgent are committed together."""
    ids = []

    def note(cursor):
        ids.append(cursor.execute("select txid_current()").fetchone()[0])

    wait([numbers.write(note, urgent=False) for _ in range(100)])

    assert len(set(ids)) == 1


def test_an_urgent_write_takes_along_what_waits(numbers: Store):
    """An urgent write is there at once, and so is everything that was asked for before it, in order."""
    started = time.monotonic()
    slow = numbers.write(insert(1), urgent=False)
    numbers.write(insert(2)).result()

    assert slow.done()
    assert time.monotonic() - started < 0.2
    assert content(numbers) == [1, 2]


def test_an_urgent_write_alone_waits_for_nobody(numbers: Store):
    """Twenty writes, each waited for, take far less than twenty windows of 250 ms."""
    started = time.monotonic()
    for number in range(20):
        numbers.write(insert(number)).result()

    assert time.monotonic() - started < 2


def test_a_write_that_was_called_off_is_skipped(numbers: Store):
    """Cancelling the future of a queued write leaves it out and disturbs nobody."""
    first = numbers.write(lambda _: time.sleep(0.2))
    second = numbers.write(insert(1))
    third = numbers.write(insert(2))
    called_off = second.cancel()
    wait([first, third])

    assert called_off
    assert content(numbers) == [2]


def test_closing_commits_what_was_asked_for(numbers: Store, folder):
    """Writes that wait for their group when the store is closed are in the file."""
    futures = [numbers.write(insert(number), urgent=False) for number in range(10)]
    numbers.close()
    again = Store.open(folder)

    assert all(future.done() for future in futures)
    assert content(again) == list(range(10))
    again.close()


def test_readers_and_a_writer_at_once(numbers: Store):
    """Readers beside a busy writer see whole transactions only, and nobody fails."""
    ended, odd, reads = threading.Event(), [], []

    def read() -> None:
        while not ended.is_set():
            count = numbers.row("select count(*) as n from base.numbers")["n"]
            reads.append(count)
            if count % 2:
                odd.append(count)

    def two(number: int):
        def change(cursor):
            insert(number)(cursor)
            insert(number + 1)(cursor)

        return change

    readers = [threading.Thread(target=read) for _ in range(3)]
    for reader in readers:
        reader.start()
    wait([numbers.write(two(number)) for number in range(0, 400, 2)])
    ended.set()
    for reader in readers:
        reader.join()

    assert odd == []
    assert reads
    assert len(content(numbers)) == 400


def test_what_a_change_raises_reaches_who_asked(numbers: Store):
    """An error of the change itself comes out as it is, and the writer goes on."""
    with pytest.raises(ZeroDivisionError):
        numbers.write(lambda _: 1 / 0).result()

    numbers.write(insert(1)).result()
    assert content(numbers) == [1]
