"""The contract's resources, put together from the store's rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from vidbench.contract.describe import (
    Describe,
    DescribeConfig,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
    Word,
)
from vidbench.contract.engine import Rows
from vidbench.contract.jobs import JobRecord
from vidbench.contract.segmentation import (
    Segment,
    Segmentation,
    SegmentationConfig,
    SegmentationData,
    Shot,
)
from vidbench.contract.states import State, wire_state
from vidbench.contract.validation import parse
from vidbench.errors import InvalidInput, NotFound
from vidbench.operations import segment
from vidbench.operations.inputs import gather
from vidbench.operations.segmentation import divided

if TYPE_CHECKING:
    from vidbench.contract.media import FileRecord
    from vidbench.store.store import Store

T = TypeVar("T")

STAGE_OF = {
    "speech": "speech",
    "words": "speech",
    "scene_text": "scene_text",
    "segments": "segmentation",
    "shots": "segmentation",
    "segment_summaries": "summary",
    "file_summaries": "summary",
    "thumbnails": "scan",
}
"""Table -> the stage whose runs hold its rows."""


def file_on_the_wire(record: FileRecord) -> dict[str, Any]:
    """The contract's file object; the place on this machine stands in ``uri``."""
    facts = record.facts
    video = {
        "duration_seconds": facts.duration_seconds,
        "width": facts.width,
        "height": facts.height,
        "has_audio": facts.has_audio,
        "format": facts.container,
    }
    return {
        "id": record.file_id,
        "object": "file",
        "status": "completed",
        "bytes": record.bytes,
        "created_at": record.created_at,
        "filename": record.filename,
        "uri": Path(record.path).as_uri(),
        "metadata": {},
        "media_type": facts.media_type,
        "video_info": video,
        "source": "upload",
    }


def rows_of(store: Store, file_id: str, table: str, job_id: str = "") -> Rows:
    """Rows of a file's current run of *table*, or of the run that *job_id* makes.

    Raises:
        InvalidInput: no such table.
    """
    if table not in STAGE_OF:
        raise InvalidInput(f"table: no table '{table}'", hint=f"Known: {', '.join(STAGE_OF)}.", field="table")
    stage = STAGE_OF[table]
    if job_id:
        run_id = _runs_by_stage(store, job_id).get(stage, "")
    else:
        run_id = store.runs.current(file_id, "shots" if table == "shots" else stage)
    run = store.runs.get(run_id) if run_id else None
    if run is None:
        return Rows(table=table, rows=(), complete=False)
    complete = run.state in {State.COMPLETED, State.NOT_APPLICABLE}
    return Rows(table=table, rows=tuple(store.runs.rows(run_id, table)), complete=complete)


def describe_of(store: Store, job: JobRecord, file: FileRecord, *, current: bool = False) -> Describe:
    """The description that *job* made, or has made so far.

    Args:
        store: where the rows are.
        job: a describe job.
        file: its file.
        current: whether each part is the file's current one, whichever job made it.
    """
    config = parse(DescribeConfig, job.config)
    links = _runs_by_stage(store, job.job_id)
    if current:
        links = {stage: store.runs.current(file.file_id, stage) for stage in set(STAGE_OF.values())}
    rows = {table: store.runs.rows(links.get(stage, ""), table) for table, stage in STAGE_OF.items()}
    return Describe(
        job_id=job.job_id,
        status=wire_state("describe", job.state),
        url=file.path,
        duration_seconds=file.facts.duration_seconds,
        created_at=job.created_at,
        describe_config=config,
        segmentation_id=links.get("segmentation") or None,
        data=_data(rows, {stage for stage, run_id in links.items() if run_id}),
        error=f"{job.error}. {job.hint}".strip(". ") or None if job.state is not State.COMPLETED else None,
        warnings=(*file.facts.warnings, *_warnings(store, links.values())),
    )


def _data(rows: Mapping[str, Sequence[dict[str, Any]]], there: set[str]) -> DescribeData:
    """The parts whose stages are *there*; the others are None."""
    summary = next(iter(rows["file_summaries"]), {})
    return DescribeData(
        title=summary.get("title"),
        summary=summary.get("summary"),
        segment_summary=_many(SegmentSummary, rows["segment_summaries"]) if "summary" in there else None,
        speech=speech_lines(rows["speech"], rows["words"]) if "speech" in there else None,
        scene_text=tuple(map(_scene_text, rows["scene_text"])) if "scene_text" in there else None,
    )


def _runs_by_stage(store: Store, job_id: str) -> dict[str, str]:
    """Stage -> the run that a job made or found for it."""
    return {link.stage: link.run_id for link in store.jobs.runs_of(job_id)}


def _warnings(store: Store, run_ids: Iterable[str]) -> Iterator[str]:
    """What the stages found worth saying: a fallback used, a part left out."""
    for run_id in run_ids:
        run = store.runs.get(run_id)
        yield from run.result.get("warnings", ()) if run else ()


def speech_lines(lines: Sequence[dict[str, Any]], words: Sequence[dict[str, Any]]) -> tuple[SpeechLine, ...]:
    """Speech rows with the words that belong to them."""
    by_line: dict[int, list[Word]] = {}
    for word in words:
        by_line.setdefault(word["speech_ordinal"], []).append(_one(Word, word))
    return tuple(_one(SpeechLine, line, words=tuple(by_line.get(line["ordinal"], ()))) for line in lines)


def segmentation_of(store: Store, segmentation_id: str, limit: int, offset: int) -> Segmentation:
    """A segmentation with a page of its segments.

    Raises:
        NotFound: no run or job knows that id.
        InvalidInput: limit or offset is out of range.
    """
    if not 1 <= limit <= 100:
        raise InvalidInput(f"limit: {limit} is not 1 to 100", field="limit")
    if offset < 0:
        raise InvalidInput(f"offset: {offset} is below 0", field="offset")
    job = store.jobs.of_run(segmentation_id)
    run = store.runs.get(segmentation_id)
    if job is None:
        raise NotFound(f"There is no segmentation {segmentation_id}")
    config = _segmentation_config(job)
    state = run.state if run is not None and run.state.ended else job.state
    base: dict[str, Any] = {
        "segmentation_id": segmentation_id,
        "status": wire_state("segmentation", state),
        "created_at": job.created_at,
        "file_id": job.subject_id,
        "segmentation_config": config,
    }
    if state is not State.COMPLETED:
        return Segmentation(**base)
    segments = [_one(Segment, row) for row in store.runs.rows(segmentation_id, "segments")]
    shots = tuple(
        Shot(index=row["ordinal"], start_time=row["start_time"], end_time=row["end_time"])
        for row in store.runs.rows(segmentation_id, "shots")
    )
    return page(base, segments, shots if config.strategy == "shot-detector" else None, limit, offset)


def retuned(store: Store, segmentation_id: str, config: SegmentationConfig) -> Segmentation:
    """The shots of a segmentation with another *config*, from the stored curve; nothing is decoded or stored.

    The id stays that of the segmentation it was asked of, and the segments have none of their own: they are a
    proposal. All of them are on the one page.

    Raises:
        NotFound: there is no such segmentation.
        InvalidInput: it was not made by a shot detector, or *config* makes no sense.
    """
    job = store.jobs.of_run(segmentation_id)
    if job is None:
        raise NotFound(f"There is no segmentation {segmentation_id}")
    file = store.files.get(job.subject_id)
    segment.check(config, file.facts)
    scan = _runs_by_stage(store, job.job_id).get("scan", "")
    curve = gather(store, file, "segmentation", {"scan": scan})["curve"] if scan else []
    if not curve:
        raise InvalidInput("segmentation_id: it has no score curve", hint="Retune what segment('shot-detector') made.")
    batch = divided(segment.completed(config), file.facts, curve)
    segments = [_one(Segment, row, id="") for row in batch.rows.get("segments", ())]
    shots = tuple(_one(Shot, row, index=row["ordinal"]) for row in batch.rows.get("shots", ()))
    base = {
        "segmentation_id": segmentation_id,
        "status": "completed" if segments else "not_applicable",
        "created_at": job.created_at,
        "file_id": file.file_id,
        "segmentation_config": config,
    }
    return page(base, segments, shots, max(1, len(segments)), 0)


def page(
    base: dict[str, Any],
    segments: list[Segment],
    shots: tuple[Shot, ...] | None,
    limit: int,
    offset: int,
) -> Segmentation:
    """A completed segmentation that shows *limit* segments from *offset* on, and all shots."""
    data = SegmentationData(
        total=len(segments),
        limit=limit,
        offset=offset,
        segments=tuple(segments[offset : offset + limit]),
        shots=shots,
    )
    return Segmentation(
        **base,
        total_segments=len(segments),
        total_shots=None if shots is None else len(shots),
        data=data if segments else None,
    )


def _segmentation_config(job: JobRecord) -> SegmentationConfig:
    if job.operation == "segment":
        return parse(SegmentationConfig, job.config)
    return parse(DescribeConfig, job.config).segmentation_config or SegmentationConfig()


def _scene_text(row: dict[str, Any]) -> SceneText:
    box = (row["box_left"], row["box_top"], row["box_right"], row["box_bottom"])
    return _one(SceneText, row, box=box)


def _many(kind: type[T], rows: Sequence[dict[str, Any]]) -> tuple[T, ...]:
    return tuple(_one(kind, row) for row in rows)


def _one(kind: type[T], row: dict[str, Any], **more: Any) -> T:
    """A *kind* from the fields that *row* has of it."""
    names = {field.name for field in fields(cast("Any", kind))}
    return kind(**{name: value for name, value in row.items() if name in names} | more)
