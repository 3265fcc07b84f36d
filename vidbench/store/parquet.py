"""DataFrames as Parquet bytes and back, for those that cross a process border.

DuckDB writes and reads the Parquet, so no other library is needed. What Parquet or DuckDB would lose
of a pandas dtype (time zone, unit, categories, nanoseconds of a timedelta) is noted in the file's
key-value metadata. Categories become text.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.errors import InvalidInput

if TYPE_CHECKING:
    import duckdb
    import pandas as pd

_NOTE = "vidbench_dtypes"
_PYTHON_VALUES = frozenset({"date", "decimal"})
"""SQL types that DuckDB gives to columns of Python objects, and gives back as another dtype."""


def to_parquet_bytes(df: pd.DataFrame) -> bytes:
    """*df* as the bytes of a Parquet file; its index is left out.

    Raises:
        InvalidInput: *df* has no columns, or a column holds what no SQL type can.

    Example:
        >>> import pandas as pd
        >>> to_parquet_bytes(pd.DataFrame({"a": [1, 2]}))[:4]
        b'PAR1'
    """
    import duckdb

    if not len(df.columns):
        raise InvalidInput("the DataFrame has no columns", hint="Give it at least one.", field="frames")
    packed = df.copy(deep=False)
    notes = [_note(dtype) for dtype in df.dtypes]
    for index, note in enumerate(notes):
        packed.isetitem(index, _pack(df.iloc[:, index], note["dtype"]).array)
    with tempfile.TemporaryDirectory(prefix="vidbench-") as folder, _connection() as connection:
        path = Path(folder) / "frame.parquet"
        # DuckDB guesses a column of objects by a sample; a value outside it may not fit.
        connection.execute(f"SET pandas_analyze_sample = {max(len(df), 1)}")
        try:
            connection.register("frame", packed)
            connection.execute(_copy(path, notes))
        except duckdb.Error as error:
            raise InvalidInput(f"the DataFrame cannot be sent: {error}", field="frames") from error
        return path.read_bytes()


def from_parquet_bytes(data: bytes) -> pd.DataFrame:
    """The DataFrame that Parquet *data* holds, with the dtypes it was written with.

    Raises:
        InvalidInput: *data* is no Parquet file.
    """
    import duckdb

    with tempfile.TemporaryDirectory(prefix="vidbench-") as folder, _connection() as connection:
        path = Path(folder) / "frame.parquet"
        path.write_bytes(data)
        try:
            return _read(connection, path)
        except duckdb.Error as error:
            raise InvalidInput(
                "these bytes are no Parquet file",
                hint="Send the file's own bytes as base64.",
                field="frames",
            ) from error


def _read(connection: duckdb.DuckDBPyConnection, path: Path) -> pd.DataFrame:
    rows = connection.execute("SELECT key, value FROM parquet_kv_metadata($1)", [str(path)]).fetchall()
    notes = json.loads(dict(rows).get(_NOTE.encode(), b"[]"))
    relation = connection.read_parquet(str(path))
    df: pd.DataFrame = relation.df()
    for index, note in enumerate(notes):
        if note["dtype"] == "object" and relation.types[index].id in _PYTHON_VALUES:
            df.isetitem(index, _python_values(relation, index))
        else:
            df.isetitem(index, _unpack(df.iloc[:, index], note).array)
    return df


def _python_values(relation: duckdb.DuckDBPyRelation, index: int) -> Any:
    """A column as the Python objects that it was made of; pandas has no dtype that keeps them."""
    import duckdb
    import pandas as pd

    column = duckdb.ColumnExpression(relation.columns[index])
    return pd.array([row[0] for row in relation.select(column).fetchall()], dtype=object)


def _connection() -> duckdb.DuckDBPyConnection:
    import duckdb

    return duckdb.connect(":memory:", config={"threads": 1, "autoinstall_known_extensions": False})


def _copy(path: Path, notes: list[dict[str, Any]]) -> str:
    # COPY takes no parameters, so both texts are quoted here.
    target, note = (text.replace("'", "''") for text in (str(path), json.dumps(notes)))
    options = f"FORMAT parquet, KV_METADATA {{{_NOTE}: '{note}'}}"
    return f"COPY (SELECT * FROM frame) TO '{target}' ({options})"


def _note(dtype: Any) -> dict[str, Any]:
    """What is needed to make a column of *dtype* again."""
    import pandas as pd

    if not isinstance(dtype, pd.CategoricalDtype):
        return {"dtype": str(dtype)}
    categories = [str(category) for category in dtype.categories]
    return {"dtype": "category", "categories": categories, "ordered": bool(dtype.ordered)}


def _pack(column: Any, dtype: str) -> Any:
    """*column* in a dtype that survives DuckDB and Parquet unchanged."""
    if dtype == "category":
        return column.astype("str")
    if dtype.startswith("timedelta64"):  # a Parquet INTERVAL knows milliseconds only
        return column.astype("int64")
    if dtype.startswith("datetime64") and "," in dtype:
        return column.dt.tz_convert("UTC").dt.tz_localize(None)
    return column


def _unpack(column: Any, note: dict[str, Any]) -> Any:
    """*column* as it was before it was packed."""
    import pandas as pd

    dtype = note["dtype"]
    if dtype == "category":
        return column.astype(pd.CategoricalDtype(note["categories"], ordered=note["ordered"]))
    if dtype.startswith("datetime64") and "," in dtype:
        zone = dtype.removesuffix("]").split(", ", 1)[1]
        return column.dt.tz_localize("UTC").dt.tz_convert(zone).astype(dtype)
    return column if str(column.dtype) == dtype else column.astype(dtype)
