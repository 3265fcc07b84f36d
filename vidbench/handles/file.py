"""Files, and what was found in them. Verbs return a job, nouns read what is there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from vidbench.contract.describe import (
    Describe,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
    Word,
)
from vidbench.contract.jobs import JobRecord
from vidbench.contract.media import FileRecord, MediaFacts
from vidbench.contract.segmentation import Segment, Shot
from vidbench.errors import NotFound, NotReady
from vidbench.handles.job import Job, Jobs
from vidbench.handles.segments import Segments, segmentation_wish
from vidbench.handles.table import Bench, Table, there

if TYPE_CHECKING:
    import pandas as pd

T = TypeVar("T")


class Description:
    """What a describe job found.

    Args:
        bench: where it lies.
        describe: the contract's object.
        file: the file it is about.
    """

    def __init__(self, bench: Bench, describe: Describe, file: FileRecord) -> None:
        self._bench = bench
        self.describe = describe
        self._file = file

    @property
    def title(self) -> str:
        """One line."""
        return there(self.describe.data.title if self.describe.data else None, "summary")

    @property
    def summary(self) -> str:
        """A few sentences."""
        return there(self.describe.data.summary if self.describe.data else None, "summary")

    def export(self, format: str = "markdown") -> str:  # noqa: A002 - the word users know
        """The description as srt, vtt, markdown or json text."""
        from vidbench.export import export

        return export(self.describe, format, filename=self._file.filename)

    def __repr__(self) -> str:
        from vidbench.display import describe_text

        return describe_text(self.describe)

    def _repr_html_(self) -> str:
        from vidbench.display import describe_html

        try:
            poster: bytes | None = self._bench.engine.thumbnail(file_id=self._file.file_id)
        except NotReady:
            poster = None
        return describe_html(self.describe, poster, self._file.filename)


class File:
    """A video or sound file of the workspace."""

    def __init__(self, bench: Bench, record: FileRecord) -> None:
        self._bench = bench
        self.record = record

    @property
    def id(self) -> str:
        """The file's UUID."""
        return self.record.file_id

    @property
    def name(self) -> str:
        """The file's name."""
        return self.record.filename

    @property
    def facts(self) -> MediaFacts:
        """What the probe found."""
        return self.record.facts

    def describe(self, **config: Any) -> Job[Description]:
        """Describe the file; takes the fields of ``DescribeConfig``.

        Example:
            >>> await file.describe(enable_scene_text=False)  # doctest: +SKIP
        """
        return Job(self._bench, self._submit("describe", config), self.description_of)

    def segment(self, strategy: str = "uniform", **config: Any) -> Job[Segments]:
        """Cut the file into segments; takes the chosen strategy's fields and the range.

        Args:
            strategy: ``uniform`` (window_seconds, hop_seconds) or ``shot-detector`` (threshold, min_seconds,
                max_seconds, fill_gaps, detector).
            config: those fields, ``start_time_seconds`` and ``end_time_seconds``.

        Example:
            >>> file.segment("shot-detector", threshold=31).result()  # doctest: +SKIP
        """
        return self.segment_as(segmentation_wish(strategy, config))

    def segment_as(self, config: dict[str, Any]) -> Job[Segments]:
        """Cut the file as a ``SegmentationConfig`` says, given as JSON."""
        return Job(self._bench, self._submit("segment", config), self.segments_of)

    @property
    def title(self) -> str:
        """The description's title."""
        return str(self._summary()["title"])

    @property
    def summary(self) -> str:
        """The description's summary."""
        return str(self._summary()["summary"])

    @property
    def speech(self) -> Table[SpeechLine]:
        """The transcript, line by line, with words."""
        return Table(there(self._data().speech, "speech"))

    @property
    def words(self) -> Table[Word]:
        """Every spoken word."""
        return Table([word for line in self.speech for word in line.words])

    @property
    def scene_text(self) -> Table[SceneText]:
        """Text seen in the picture."""
        return Table(there(self._data().scene_text, "scene_text"))

    @property
    def segments(self) -> Table[Segment]:
        """The current segmentation's segments."""
        return self._table("segments", lambda row: Segment(id=row["id"], **_span(row)), "segment")

    @property
    def shots(self) -> Table[Shot]:
        """The current shots."""
        return self._table(
            "shots",
            lambda row: Shot(index=row["ordinal"], **_span(row)),
            'segment("shot-detector")',
        )

    @property
    def segment_summaries(self) -> Table[SegmentSummary]:
        """Title and summary of each segment."""
        return Table(there(self._data().segment_summary, "summary"))

    def export(self, format: str = "markdown") -> str:  # noqa: A002 - the word users know
        """The newest description as srt, vtt, markdown or json text."""
        return Description(self._bench, self._describe(), self.record).export(format)

    def _submit(self, operation: str, config: dict[str, Any]) -> JobRecord:
        return self._bench.engine.submit(operation=operation, subject_id=self.id, config=config)

    def description_of(self, record: JobRecord) -> Description:
        """What a describe job found."""
        return Description(self._bench, self._bench.engine.get_describe(job_id=record.job_id), self.record)

    def segments_of(self, record: JobRecord) -> Segments:
        """What a segment job made."""
        return Segments(self._bench, record)

    def _describe(self) -> Describe:
        return self._bench.engine.current_describe(file_id=self.id)

    def _data(self) -> DescribeData:
        return self._describe().data or DescribeData()

    def _summary(self) -> dict[str, Any]:
        rows = self._bench.engine.read_rows(file_id=self.id, table="file_summaries").rows
        if not rows:
            raise NotReady(f"{self.name} has no summary yet", hint="Run file.describe() first.")
        return rows[0]

    def _table(self, table: str, make: Callable[[dict[str, Any]], T], verb: str) -> Table[T]:
        answer = self._bench.engine.read_rows(file_id=self.id, table=table)
        if not answer.rows:
            call = verb if verb.endswith(")") else f"{verb}()"
            raise NotReady(f"{self.name} has no {table} yet", hint=f"Run file.{call} first.")
        return Table([make(row) for row in answer.rows], complete=answer.complete)

    def __repr__(self) -> str:
        from vidbench.display import file_text

        return file_text(self.record)

    def _repr_html_(self) -> str:
        from vidbench.display import file_html

        try:
            poster: bytes | None = self._bench.engine.thumbnail(file_id=self.id)
        except NotReady:
            poster = None
        return file_html(self.record, poster)


class Files(Sequence[File]):
    """Files of the workspace; verbs go to each of them."""

    def __init__(self, bench: Bench, records: Sequence[FileRecord], skipped: Sequence[tuple[str, str]] = ()) -> None:
        self._bench = bench
        self._files = tuple(File(bench, record) for record in records)
        self.skipped = tuple(skipped)

    @overload
    def __getitem__(self, index: int) -> File: ...
    @overload
    def __getitem__(self, index: str) -> File: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[File]: ...
    def __getitem__(self, index: int | str | slice) -> File | Sequence[File]:
        """A file by position, or by id, name or path."""
        if isinstance(index, str):
            found = self._bench.engine.get_file(name=index)
            if all(found.file_id != file.id for file in self._files):
                raise NotFound(f"{index} is not among these files")
            return File(self._bench, found)
        return self._files[index]

    def __len__(self) -> int:
        return len(self._files)

    def describe(self, **config: Any) -> Jobs:
        """Describe each file; takes the fields of ``DescribeConfig``."""
        return Jobs([file.describe(**config) for file in self._files])

    def segment(self, strategy: str = "uniform", **config: Any) -> Jobs:
        """Segment each file."""
        return Jobs([file.segment(strategy, **config) for file in self._files])

    def df(self) -> pd.DataFrame:
        """One row a file."""
        rows = []
        for file in self._files:
            facts = file.facts
            rows.append(
                {
                    "file_id": file.id,
                    "filename": file.name,
                    "path": file.record.path,
                    "bytes": file.record.bytes,
                    "media_type": facts.media_type,
                    "duration_seconds": facts.duration_seconds,
                    "width": facts.width,
                    "height": facts.height,
                    "has_audio": facts.has_audio,
                }
            )
        return Table(rows).df()

    def __repr__(self) -> str:
        skipped = [f"skipped {name}: {why}" for name, why in self.skipped]
        return "\n".join([*map(repr, self._files), *skipped]) or "no files"

    def _repr_html_(self) -> str:
        from vidbench.display import table_html

        frame = self.df()
        return table_html(list(frame.columns), frame.to_numpy().tolist(), "")


def _span(row: dict[str, Any]) -> dict[str, Any]:
    return {"start_time": row["start_time"], "end_time": row["end_time"]}
