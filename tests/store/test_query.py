"""The guard of user SQL: one SELECT, no files, no network, no writes; parameters and DataFrames."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vidbench.errors import InvalidInput
from vidbench.store.query import check_select, query, table_names, views
from vidbench.store.store import Store

REFUSED = [
    "copy speech to '{folder}/out.csv'",
    "copy (select 1) to '{folder}/out.csv'",
    "attach '{folder}/other.duckdb' as other",
    "set threads = 8",
    "set enable_external_access = true",
    "reset all",
    "pragma database_list",
    "pragma enable_profiling",
    "install httpfs",
    "load httpfs",
    "export database '{folder}/out'",
    "call pragma_version()",
    "checkpoint",
    "create table mine (x integer)",
    "create temp table mine (x integer)",
    "drop view main.speech",
    "insert into base.collections values ('a', 'b', 'c', null, 1)",
    "update base.files set filename = ''",
    "delete from base.files",
    "delete from base.collections returning *",
    "begin",
    "prepare later as select 1",
    "explain analyze delete from base.collections",
    "select 1; select 2",
    "select 1; drop view main.speech",
    "with gone as (delete from base.collections returning *) select * from gone",
    "with made as (insert into base.meta values ('a', 'b') returning *) select * from made",
    "select nextval('base.outbox_numbers')",
    "select * from read_csv('{file}')",
    "select * from read_text('{file}')",
    "select * from read_blob('{file}')",
    "select * from read_parquet('{file}')",
    "select * from read_json('{file}')",
    "select * from '{file}'",
    "select * from glob('{folder}/*')",
    "select * from sniff_csv('{file}')",
    "select * from parquet_metadata('{file}')",
    "select * from query('copy (select 1) to ''{folder}/out.csv''')",
    "select * from read_csv('https://example.org/a.csv')",
    "select * from read_text('/proc/self/environ')",
    "from json_execute_serialized_sql(json_serialize_sql('select * from read_text(''{file}'')'))",
    "select * from secret",
    "select",
    "",
    "-- nothing",
    "selec 1",
]


@pytest.mark.parametrize("sql", REFUSED)
def test_what_is_no_harmless_select_is_refused(store: Store, tmp_path, sql: str):
    """It is InvalidInput of the field sql, no file is read or written, and the store is as it was."""
    secret = pd.DataFrame({"leaked": ["secret"]})
    file = tmp_path / "a.csv"
    file.write_text("leaked\nsecret\n")
    before = sorted(tmp_path.iterdir())

    with pytest.raises(InvalidInput) as caught:
        query(store, sql.format(folder=tmp_path, file=file))

    assert caught.value.field == "sql"
    assert sorted(tmp_path.iterdir()) == before
    assert len(store.collections.list()) == len(secret) == 1
    assert store.row("select current_setting('threads') as n")["n"] == 2


def test_after_a_refusal_the_next_query_works(store: Store):
    """A query that failed leaves no transaction behind."""
    with pytest.raises(InvalidInput):
        query(store, "select nextval('base.outbox_numbers')")

    assert query(store, "select 1 as one")["one"].tolist() == [1]


@pytest.mark.parametrize(
    "sql",
    ["select * from files", "from files", "with a as (select 1 as x) select x from a", "values (1)", "table files",
     "describe files", "select 1;", "select list_transform([1, 2], lambda x: x + 1)", "summarize files"],
)  # fmt: skip
def test_one_select_in_any_spelling_is_allowed(store: Store, sql: str):
    """Everything that DuckDB takes for one SELECT gives a DataFrame."""
    assert isinstance(query(store, sql), pd.DataFrame)


def test_parameters_by_place_and_by_name(store: Store, add_file, add_run):
    """`?` takes a list and `$name` a dict, and a parameter is never SQL."""
    add_run("r1", add_file("a.mp4").file_id, ["a licence", "other"])

    by_place = query(store, "select text from speech where text ilike ?", ["%licence%"])
    by_name = query(store, "select text from speech where text = $text", {"text": "other"})
    hostile = query(store, "select text from speech where text = ?", ["' or 1 = 1 --"])
    assert (by_place["text"].tolist(), by_name["text"].tolist(), len(hostile)) == (
        ["a licence"],
        ["other"],
        0,
    )


@pytest.mark.parametrize("parameters", [None, [], [1, 2], {"other": 1}])
def test_missing_or_extra_parameters_are_the_users_error(store: Store, parameters):
    """The message is DuckDB's own."""
    with pytest.raises(InvalidInput, match="arameter"):
        query(store, "select ?", parameters)


def test_dataframes_are_tables_for_one_query(store: Store, add_file):
    """A frame can be joined with a view, may even be called like one, and is gone afterwards."""
    add_file("a.mp4")
    mine = pd.DataFrame({"filename": ["a.mp4"], "speaker": ["Ada"]})

    joined = query(store, "select speaker from files join mine using (filename)", frames={"mine": mine})
    shadowed = query(store, "select * from files", frames={"files": mine})
    assert joined["speaker"].tolist() == ["Ada"]
    assert shadowed["speaker"].tolist() == ["Ada"]
    assert "path" in query(store, "select * from files")
    with pytest.raises(InvalidInput):
        query(store, "select * from mine")


def test_a_table_that_is_not_there_is_answered_with_those_that_are(store: Store):
    """The hint lists the views."""
    with pytest.raises(InvalidInput, match="speach") as caught:
        query(store, "select * from speach")

    assert {"files", "speech", "segments"} <= set(caught.value.hint.removesuffix(".").replace(",", "").split())


def test_a_column_that_is_not_there_is_told_in_duckdbs_words(store: Store):
    """The binder's message comes through, with its candidates, and without its drawing."""
    with pytest.raises(InvalidInput, match=r"tekst.*text") as caught:
        query(store, "select tekst from speech")

    assert "^" not in str(caught.value)


def test_the_names_in_a_query_are_found_without_running_it():
    """Frames are looked up by these names: joins by column, nested queries and quoted names included."""
    sql = 'select * from a join "My b" using (x) where exists (from c) and y in (select z from base.files)'

    assert table_names(sql) == {"a", "My b", "c"}
    assert table_names("this is no sql") == set()


def test_the_views_are_those_of_the_readme(store: Store):
    """Every friendly name is there."""
    friendly = {
        "files",
        "segments",
        "speech",
        "words",
        "scene_text",
        "shots",
        "citations",
        "runs",
        "jobs",
        "collections",
    }

    assert friendly <= set(views(store))
    assert {f"all_{name}" for name in ("speech", "words", "segments", "scene_text", "shots")} <= set(views(store))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    words=st.lists(
        st.sampled_from(
            ["select", "*", "from", "files", "(", ")", ";", "copy", "to", "'x.csv'", "set", "threads", "=", "1", "with",
             "a", "as", "delete", "returning", ",", "attach", "--", "/*", "*/", "insert", "into", "values", "$$", '"']
        ),
        max_size=12,
    )
)  # fmt: skip
def test_any_text_is_one_select_or_the_users_error(store: Store, words: list[str]):
    """Hostile text is run as one SELECT or refused as InvalidInput; the store stays as it was."""
    sql = " ".join(words)
    try:
        check_select(sql)
        query(store, sql)
    except InvalidInput:
        pass

    assert len(store.collections.list()) == 1
