"""Lists of results that are also tables, and the little that all handles share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, is_dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar, overload

from vidbench.contract.engine import Engine
from vidbench.errors import NotReady

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class Bench(Protocol):
    """What handles need of a workbench: the engine that answers now."""

    @property
    def engine(self) -> Engine:
        """The engine, local or remote; taken over if its owner went away."""
        ...


class Table(Sequence[T], Generic[T]):
    """A list of results that is also a table.

    Example:
        >>> Table((Shot(index=0, start_time=0.0, end_time=2.0),)).df().columns.tolist()
        ['index', 'start_time', 'end_time']
    """

    def __init__(self, items: Sequence[T], *, complete: bool = True) -> None:
        self._items = tuple(items)
        self.complete = complete

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> Table[T]: ...
    def __getitem__(self, index: int | slice) -> T | Table[T]:
        """One item, or a table of some."""
        if isinstance(index, slice):
            return Table(self._items[index], complete=self.complete)
        return self._items[index]

    def __len__(self) -> int:
        return len(self._items)

    def records(self) -> list[dict[str, Any]]:
        """One mapping an item."""
        return [_record(item) for item in self]

    def df(self) -> pd.DataFrame:
        """The items as a DataFrame, one row each."""
        import pandas as pd

        return pd.DataFrame(self.records())

    def __repr__(self) -> str:
        note = "" if self.complete else ", incomplete"
        lines = [
            f"{len(self)} item{'' if len(self) == 1 else 's'}{note}",
            *map(repr, self._items[:10]),
        ]
        return "\n".join([*lines, *(["..."] if len(self) > 10 else [])])

    def _repr_html_(self) -> str:
        from vidbench.display import table_html

        records = self.records()
        columns = list(records[0]) if records else []
        caption = "" if self.complete else "incomplete: the job is still running"
        return table_html(columns, [[record[name] for name in columns] for record in records], caption)


def there(value: T | None, what: str) -> T:
    """*value*, or what to run to get it.

    Raises:
        NotReady: it is None.
    """
    if value is None:
        raise NotReady(f"There is no {what} yet", hint=f"Run file.describe(enable_{what}=True).")
    return value


def _record(item: Any) -> dict[str, Any]:
    return asdict(item) if is_dataclass(item) and not isinstance(item, type) else dict(item)
