"""Segments that a segmentation made, and the wish that makes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, get_args, overload

from vidbench.contract.jobs import JobRecord
from vidbench.contract.segmentation import Segment, Segmentation, SegmentationConfig, Shot, Strategy
from vidbench.contract.states import State
from vidbench.contract.validation import parse
from vidbench.errors import InvalidInput
from vidbench.handles.table import Bench, Table

if TYPE_CHECKING:
    import pandas as pd


class Segments(Sequence[Segment]):
    """The segments a segmentation made."""

    def __init__(self, bench: Bench, record: JobRecord) -> None:
        self._bench = bench
        self._record = record
        self._segments = tuple(self._pages())

    @property
    def segmentation(self) -> Segmentation:
        """The contract's object with its first page."""
        return self._bench.engine.get_segmentation(segmentation_id=self._record.result_id)

    @property
    def applicable(self) -> bool:
        """False where the strategy found nothing that fits (footage without a cut)."""
        return self._record.state is not State.NOT_APPLICABLE

    @property
    def reason(self) -> str:
        """Why the strategy does not fit; empty where it does."""
        return self._record.error

    @property
    def shots(self) -> Table[Shot]:
        """The shots, where a detector made the segments."""
        data = self.segmentation.data
        return Table(data.shots or () if data else ())

    def retune(self, **config: Any) -> Segmentation:
        """The cuts with other settings, at once, from the stored score curve; nothing is kept.

        Args:
            config: fields of ``ShotDetectorConfig``.
        """
        wish = parse(SegmentationConfig, segmentation_wish("shot-detector", config))
        return self._bench.engine.retune(segmentation_id=self._record.result_id, config=wish)

    def df(self) -> pd.DataFrame:
        """One row a segment."""
        return Table(self._segments).df()

    def _pages(self) -> Iterator[Segment]:
        offset = 0
        while True:
            page = self._bench.engine.get_segmentation(
                segmentation_id=self._record.result_id, limit=100, offset=offset
            ).data
            if page is None:
                return
            yield from page.segments
            offset += page.limit
            if offset >= page.total:
                return

    @overload
    def __getitem__(self, index: int) -> Segment: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Segment]: ...
    def __getitem__(self, index: int | slice) -> Segment | Sequence[Segment]:
        """One segment, or some."""
        return self._segments[index]

    def __len__(self) -> int:
        return len(self._segments)

    def __repr__(self) -> str:
        return repr(Table(self._segments)) if self.applicable else f"not applicable: {self.reason}"

    def _repr_html_(self) -> str:
        return Table(self._segments)._repr_html_()


def segmentation_wish(strategy: str, config: dict[str, Any]) -> dict[str, Any]:
    """The request for *strategy*: range fields stay outside, the rest goes into the strategy's own config.

    Raises:
        InvalidInput: there is no such strategy.

    Example:
        >>> segmentation_wish("uniform", {"window_seconds": 5, "start_time_seconds": 2})
        {'strategy': 'uniform', 'uniform_config': {'window_seconds': 5}, 'start_time_seconds': 2}
    """
    if strategy not in get_args(Strategy):
        raise InvalidInput(
            f"strategy: no strategy '{strategy}'",
            hint=f"Choose {' or '.join(get_args(Strategy))}.",
            field="strategy",
        )
    own = {name: value for name, value in config.items() if not name.endswith("_time_seconds")}
    span = {name: value for name, value in config.items() if name.endswith("_time_seconds")}
    name = f"{strategy.replace('-', '_')}_config"
    return {"strategy": strategy, **({name: own} if own else {}), **span}
