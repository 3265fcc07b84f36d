"""What users write: one SELECT over the friendly views, on a cursor of its own, in a read-only transaction."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from vidbench.errors import InvalidInput

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
        for name, frame in (frames or {}).items():
            cursor.register(name, frame)
        try:
            cursor.execute("begin transaction read only")
            return cursor.execute(sql, parameters).df()
        except duckdb.Error as error:
            message = str(error).split("\n\nLINE")[0].replace("\n", " ")
            raise InvalidInput(f"sql: {message}", hint=_hint(store, message), field="sql") from None
        finally:
            for name in frames or {}:
                cursor.unregister(name)


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
    """The tables that *sql* names, as far as it can be parsed."""
    import duckdb

    with duckdb.connect() as connection:
        try:
            return {str(name) for name in connection.get_table_names(sql)}
        except duckdb.Error:  # the query itself will say what is wrong
            return set()


def views(store: Store) -> list[str]:
    """Names of the friendly views."""
    sql = "select view_name from duckdb_views() where schema_name = 'main' and not internal order by view_name"
    return [row["view_name"] for row in store.rows(sql)]


def _hint(store: Store, message: str) -> str:
    if re.search(r"Table .* does not exist", message):
        return f"There are: {', '.join(views(store))}."
    return "See bench.sql('select * from files limit 1') for the columns of a view."
