"""What users write: one SELECT over the friendly views, on a cursor of its own, in a read-only transaction."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from vidbench.errors import InvalidInput
from vidbench.store.writer import told

if TYPE_CHECKING:
    import pandas as pd

    from vidbench.store.store import Store


def query(
    store: Store,
    sql: str,
    parameters: list[Any] | dict[str, Any] | None = None,
    frames: Mapping[str, pd.DataFrame] | None = None,
) -> pd.DataFrame:
    """Run one SELECT.

    Args:
        store: the store.
        sql: one SELECT, in DuckDB's dialect.
        parameters: values for ``?`` or ``$name``.
        frames: DataFrames that are tables for this query.

    Raises:
        InvalidInput: it is not one SELECT, or it names what does not exist.
    """
    import duckdb

    check_select(sql)
    with store.read() as cursor:
        try:
            for name, frame in (frames or {}).items():
                cursor.register(name, frame)
            cursor.execute("begin transaction read only")
            return cursor.execute(sql, parameters).df()
        except duckdb.Error as error:
            raise _refusal(store, error) from None


def check_select(sql: str) -> None:
    """Refuse everything but exactly one SELECT.

    Raises:
        InvalidInput: it is something else.
    """
    import duckdb

    try:
        statements = duckdb.extract_statements(sql)
    except duckdb.Error as error:
        raise InvalidInput(f"sql: {str(error).splitlines()[0]}", field="sql") from None
    kinds = [statement.type for statement in statements]
    if kinds != [duckdb.StatementType.SELECT]:
        found = ", ".join(kind.name for kind in kinds) or "nothing"
        raise InvalidInput(f"sql: exactly one SELECT is allowed, this is {found}", field="sql")


def table_names(sql: str) -> set[str]:
    """The tables that *sql* names without a schema, as far as it can be parsed; its own CTEs are among them.

    Example:
        >>> sorted(table_names("select * from speech join mine using (file_id)"))
        ['mine', 'speech']
    """
    import duckdb

    with duckdb.connect(config={"threads": 1}) as connection:
        row = connection.execute("select json_serialize_sql(?::varchar)", [sql]).fetchone()
    return set(_tables(json.loads(row[0]))) if row else set()


def _tables(node: Any) -> Iterator[str]:
    if isinstance(node, dict):
        if node.get("type") == "BASE_TABLE" and not node.get("schema_name"):
            yield node["table_name"]
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from _tables(child)


def views(store: Store) -> list[str]:
    """Names of the friendly views."""
    sql = "select view_name from duckdb_views() where schema_name = 'main' and not internal order by view_name"
    return [row["view_name"] for row in store.rows(sql)]


def describe_views(store: Store) -> dict[str, dict[str, str]]:
    """View -> column -> DuckDB type, of the friendly views."""
    sql = """
        select table_name, column_name, data_type from information_schema.columns
        where table_schema = 'main' and table_catalog = current_database()
        order by table_name, ordinal_position
    """
    described: dict[str, dict[str, str]] = {}
    for row in store.rows(sql):
        described.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    return described


def _refusal(store: Store, error: Exception) -> Exception:
    """What the user hears of a query that DuckDB did not run: its own words, and what there is."""
    import duckdb

    message = str(error).split("\n\nLINE")[0].replace("\n", " ")
    if isinstance(error, duckdb.FatalException | duckdb.InterruptException):
        return told(error)
    if isinstance(error, duckdb.PermissionException):
        hint = "SQL reaches no files and no network: pass a DataFrame instead."
    elif isinstance(error, duckdb.OutOfMemoryException):
        hint = "Ask for fewer rows or columns."
    elif re.search(r"Table .* does not exist", message):
        hint = f"There are: {', '.join(views(store))}."
    else:
        hint = "bench.sql('select * from files limit 1') shows the columns of a view."
    return InvalidInput(f"sql: {message}", hint=hint, field="sql")
