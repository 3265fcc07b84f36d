"""Opening and closing: schema, locks, damage, full disks, forks."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import duckdb
import pytest

from vidbench.errors import ForkedProcess, StoreError, WorkspaceBusy
from vidbench.store import schema
from vidbench.store.store import FILE_NAME, Store
from vidbench.store.tables import KEYS, TABLES

HOLD = """
import sys, time
from pathlib import Path
from vidbench.store.store import Store
store = Store.open(Path(sys.argv[1]))
print("open", flush=True)
sys.stdin.read()
"""


def test_importing_the_package_loads_no_library():
    """`import vidbench.store` and its modules load neither DuckDB nor pandas nor numpy."""
    code = (
        "import sys, vidbench.store, vidbench.store.store, vidbench.store.query\n"
        "print([name for name in ('duckdb', 'pandas', 'numpy', 'pydantic') if name in sys.modules])"
    )
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert printed.stdout.strip() == "[]"


def test_a_workspace_keeps_its_id(folder: Path):
    """A folder that does not exist is made; its id is the same at the next opening."""
    first = Store.open(folder)
    first.close()
    second = Store.open(folder)
    second.close()

    assert first.workspace_id == second.workspace_id


def test_every_workspace_begins_with_the_collection_all(store: Store):
    """The built-in collection is there, with an id that is the same everywhere."""
    (collection,) = store.collections.list()

    assert (collection.id, collection.name) == (schema.EVERYTHING_ID, "all")


def test_a_workspace_of_a_newer_version_is_refused(folder: Path):
    """A schema number from the future gives an error that says to upgrade, and changes nothing."""
    Store.open(folder).close()
    with duckdb.connect(str(folder / FILE_NAME)) as connection:
        connection.execute("update base.meta set value = '99' where name = 'schema_version'")

    with pytest.raises(StoreError, match=r"newer vidbench.*Upgrade"):
        Store.open(folder)

    with duckdb.connect(str(folder / FILE_NAME)) as connection:
        assert schema.schema_version(connection) == 99


def test_a_failing_migration_leaves_no_trace(folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """A migration is applied whole or not at all, and the file can be opened again."""
    Store.open(folder).close()
    bad = tmp_path / "0009_bad.sql"
    bad.write_text("create table base.half (x integer); select nonsense;")
    known = schema.steps()
    with monkeypatch.context() as patched:
        patched.setattr(schema, "steps", lambda: [*known, bad])
        with pytest.raises(StoreError):
            Store.open(folder)

    store = Store.open(folder)
    tables = {row["table_name"] for row in store.rows("select table_name from duckdb_tables()")}
    store.close()
    assert "half" not in tables


def test_columns_are_what_the_sql_says(store: Store):
    """The one list of columns that inserts read names every column and type of the tables, in order."""
    sql = """
        select column_name, lower(data_type) as type from information_schema.columns
        where table_schema = 'base' and table_name = ? order by ordinal_position
    """
    for table, columns in TABLES.items():
        found = {row["column_name"]: row["type"] for row in store.rows(sql, table)}
        expected = KEYS | columns

        assert set(found) == set(expected)
        assert {name: kind for name, kind in found.items() if expected[name] != kind} == {}


def test_another_process_is_told_who_holds_the_workspace(folder: Path):
    """The lock of another process gives WorkspaceBusy with that process's id; then it opens."""
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    assert holder.stdout is not None
    holder.stdout.readline()

    with pytest.raises(WorkspaceBusy, match=f"process {holder.pid}"):
        Store.open(folder)

    holder.kill()
    holder.wait()
    Store.open(folder).close()


def test_the_same_process_opens_a_workspace_once(store: Store, folder: Path):
    """A second store on the same folder is refused, by whatever path, until the first is closed."""
    with pytest.raises(WorkspaceBusy, match="already"):
        Store.open(folder / ".." / folder.name)

    store.close()
    Store.open(folder).close()


@pytest.mark.parametrize("damage", ["garbage", "header", "truncated"])
def test_a_damaged_file_is_an_error_with_a_remedy(folder: Path, damage: str):
    """What is no whole DuckDB file gives a StoreError with a hint, and is left as it is."""
    Store.open(folder).close()
    file = folder / FILE_NAME
    content = file.read_bytes()
    bad = {
        "garbage": b"hello" * 1000,
        "header": content[:4096] + b"\x55" * 8192 + content[12288:],
        "truncated": content[: len(content) // 2],
    }[damage]
    file.write_bytes(bad)

    with pytest.raises(StoreError) as caught:
        Store.open(folder)

    assert caught.value.hint
    assert str(file) in caught.value.message
    assert file.read_bytes() == bad


def test_a_folder_that_cannot_be_made_is_an_error_with_its_name(tmp_path: Path):
    """A path below a file names that path."""
    (tmp_path / "file").write_text("")

    with pytest.raises(StoreError, match="file/workspace"):
        Store.open(tmp_path / "file" / "workspace")


def test_a_full_disk_fails_the_write_and_nothing_else(folder: Path):
    """With no room to write, a write fails with a remedy, what was there is readable, and room makes it work."""
    code = """
import resource, signal, sys
from pathlib import Path
from vidbench.contract.collections import CollectionConfig
from vidbench.errors import StoreError
from vidbench.store.store import Store
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = Store.open(Path(sys.argv[1]))
store.collections.create(CollectionConfig(name="before"))
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, resource.RLIM_INFINITY))
try:
    store.collections.create(CollectionConfig(name="during"))
except StoreError as error:
    print(error)
print([one.name for one in store.collections.list()])
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
store.collections.create(CollectionConfig(name="after"))
store.close()
"""
    done = subprocess.run([sys.executable, "-c", code, str(folder)], capture_output=True, text=True, check=False)
    first, second = done.stdout.splitlines()

    assert "Free some space" in first
    assert second == "['all', 'before']"
    store = Store.open(folder)
    assert [one.name for one in store.collections.list()] == ["all", "before", "after"]
    store.close()


def test_a_forked_child_is_refused(store: Store):
    """After fork the child's store refuses to read, write and close; the parent's goes on."""
    child = os.fork()
    if child == 0:
        refused = 0
        for use in (
            lambda: store.rows("select 1"),
            lambda: store.write(lambda _: None),
            store.close,
        ):
            try:
                use()
            except ForkedProcess:
                refused += 1
        os._exit(refused)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 3
    assert store.row("select 1 as one") == {"one": 1}


def test_a_closed_store_says_so(folder: Path):
    """Reading and writing after closing are clear errors; closing twice is closing once."""
    store = Store.open(folder)
    store.close()
    store.close()

    with pytest.raises(StoreError, match="closed"):
        store.rows("select 1")
    with pytest.raises(StoreError, match="closed"):
        store.write(lambda _: None)


def test_closing_interrupts_a_long_read(folder: Path):
    """A reader in the middle of an endless query is stopped, and the file is free at once."""
    store = Store.open(folder)
    failed = []

    def read() -> None:
        try:
            store.rows("select count(*) from range(100000000) a, range(100000000) b where a.range % 7 = b.range % 5")
        except StoreError as error:
            failed.append(error)

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(0.3)
    started = time.monotonic()
    store.close()
    reader.join(timeout=5)

    assert failed
    assert time.monotonic() - started < 3
    Store.open(folder).close()
