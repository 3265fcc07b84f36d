"""Walking a plan: reuse what is there, run what is missing, commit batch by batch."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from vidbench.contract.ids import now_ms
from vidbench.contract.media import FileRecord
from vidbench.contract.models import ModelEntry, ModelSpec
from vidbench.contract.states import State
from vidbench.contract.validation import to_json
from vidbench.contract.work import Batch, Unit
from vidbench.errors import Interrupted, InvalidInput, MediaError, StoreError, VidbenchError
from vidbench.jobs.context import Context, LiveJob, Planned
from vidbench.jobs.pool import Replaced
from vidbench.media.fingerprint import fingerprint
from vidbench.models import choose, pull, resolve
from vidbench.operations.inputs import gather
from vidbench.operations.stages import STAGES

if TYPE_CHECKING:
    from vidbench.store.store import Store

LIBRARIES = (
    *("vidbench", "av", "numpy", "scenedetect-headless", "opencv-python-headless", "faster-whisper", "ctranslate2"),
    *("rapidocr", "onnxruntime", "tokenizers", "llama-cpp-python"),
)
CURRENT_KINDS = {"uniform": ("segmentation",), "shot-detector": ("segmentation", "shots")}


class NotApplicable(Exception):
    """A stage found that the wish does not fit the file."""


def walk(context: Context, live: LiveJob, file: FileRecord, plan: tuple[Planned, ...]) -> None:
    """Bring every step of *plan* to its end.

    Raises:
        NotApplicable: a stage said so.
        Interrupted: the job was cancelled or the workspace closes.
        WorkerDied: a worker ended without an answer.
    """
    _expect(context, live, file, plan)
    for planned in plan:
        run = context.store.runs.get(planned.run_id)
        if run is not None and run.state in {State.COMPLETED, State.NOT_APPLICABLE}:
            _reuse(context, live, planned, run.result)
        else:
            _execute(context, live, file, planned, plan)


def ready_models_of(context: Context, live: LiveJob, stage: str) -> dict[str, ModelSpec]:
    """The models of a stage on this machine; what is missing is pulled, with progress.

    Raises:
        MissingModel: no source could be reached.
    """
    specs: dict[str, ModelSpec] = {}
    for role in STAGES[stage].roles:
        entry = choose(role)
        specs[role] = resolve(entry, pulling=_pulling(context, live, entry))
    return specs


def _pulling(context: Context, live: LiveJob, entry: ModelEntry) -> Any:
    def progress(done: int, total: int) -> None:
        if live.stopped:
            raise Interrupted("The work was cancelled")
        share = done / total if total else 0.0
        context.events.add(live.record.job_id, "progress", stage=f"pull {entry.name}", progress=share)

    return lambda: pull(entry, progress=progress)


def _expect(context: Context, live: LiveJob, file: FileRecord, plan: tuple[Planned, ...]) -> None:
    """Estimate each stage from the speed measured in this workspace, else from the stage's own guess."""
    duration = max(1.0, file.facts.duration_seconds)
    speeds = context.store.runs.speeds()
    for planned in plan:
        name = planned.step.stage
        live.progress.expected[name] = speeds.get(name, STAGES[name].weight) * duration
        live.report(planned, State.QUEUED)


def _reuse(context: Context, live: LiveJob, planned: Planned, result: dict[str, Any]) -> None:
    live.progress.enter(planned.step.stage, 1.0)
    live.report(planned, State.COMPLETED, reused=True)
    if result.get("not_applicable"):
        raise NotApplicable(str(result.get("message", "")))
    context.store.runs.show_again(planned.run_id)
    _tell(context, live, "stage", text="reused")


def _execute(context: Context, live: LiveJob, file: FileRecord, planned: Planned, plan: tuple[Planned, ...]) -> None:
    runs, stage = context.store.runs, planned.step.stage
    models = ready_models_of(context, live, stage)
    unchanged(context.store, file)
    runs.begin(
        planned.run_id,
        file.file_id,
        stage,
        planned.key,
        planned.parts,
        _provenance(planned, models),
    )
    folder = context.store.artifacts.folder(file.fingerprint, planned.run_id)
    checkpoint = runs.checkpoint(planned.run_id)
    unit = Unit(
        stage=stage,
        run_id=planned.run_id,
        media=file.path,
        facts=to_json(file.facts),
        config=planned.step.config,
        models=models,
        inputs=gather(context.store, file, planned.step.stage, {one.step.stage: one.run_id for one in plan}),
        folder=str(folder),
        position=checkpoint.position,
    )
    live.progress.enter(stage, checkpoint.progress)
    live.report(planned, State.RUNNING)
    _tell(context, live, "stage", text="running")
    _run(context, live, file, planned, unit)


def _run(context: Context, live: LiveJob, file: FileRecord, planned: Planned, unit: Unit) -> None:
    runs, started, result = context.store.runs, time.monotonic(), dict[str, Any]()

    def on_batch(batch: Batch) -> None:
        live.progress.done[unit.stage] = max(live.progress.done[unit.stage], batch.progress)
        if batch.rows or batch.artifacts or batch.position:
            runs.commit(unit.run_id, file.file_id, batch)
        result.update(batch.result)
        _tell(
            context,
            live,
            "rows" if batch.rows else "progress",
            rows=sum(map(len, batch.rows.values())),
        )

    while True:
        try:
            context.pool.run(planned.worker, unit, on_batch=on_batch, cancelled=lambda: live.stopped)
            break
        except Replaced:
            unit = replace(unit, position=runs.checkpoint(unit.run_id).position)
        except Interrupted:
            runs.set_state(unit.run_id, State.CANCELLED if live.cancel.is_set() else State.INTERRUPTED)
            raise
        except VidbenchError:
            runs.set_state(unit.run_id, State.FAILED)
            raise
    seconds = time.monotonic() - started
    runs.complete(
        unit.run_id,
        result,
        seconds,
        make_current=_kinds(planned, result),
        index=unit.stage == "passages",
    )
    live.progress.done[unit.stage] = 1.0
    live.report(planned, State.COMPLETED, seconds=seconds)
    _tell(context, live, "stage", text="completed")
    if result.get("not_applicable"):
        raise NotApplicable(str(result.get("message", "")))


def _kinds(planned: Planned, result: dict[str, Any] | None = None) -> tuple[str, ...]:
    """What a file shows of this run: a segmentation is also the file's shots if a detector made it."""
    if result and result.get("not_applicable"):
        return ()
    if planned.step.stage == "segmentation":
        return CURRENT_KINDS.get(str(planned.step.config.get("strategy", "uniform")), ("segmentation",))
    return (planned.step.stage,)


def _provenance(planned: Planned, models: dict[str, ModelSpec]) -> dict[str, Any]:
    return {
        "vidbench": versions()["vidbench"],
        "libraries": versions(),
        "models": {role: to_json(spec) | {"path": ""} for role, spec in models.items()},
        "stage_version": STAGES[planned.step.stage].version,
        "prompts": planned.parts.get("prompts", ""),
        "config": planned.step.config,
        "started_at": now_ms(),
    }


@lru_cache(maxsize=1)
def versions() -> dict[str, str]:
    """The libraries that can change an answer, and their versions as installed."""
    from importlib import metadata

    found = {one.metadata["Name"].lower(): one.version for one in metadata.distributions() if one.metadata["Name"]}
    return {name: found[name] for name in LIBRARIES if name in found}


def _tell(context: Context, live: LiveJob, kind: str, *, text: str = "", rows: int = 0) -> None:
    progress = live.progress
    context.events.add(
        live.record.job_id,
        kind,
        stage=progress.stage,
        progress=progress.share,
        text=text,
        rows=rows,
        eta_seconds=progress.eta_seconds,
    )


def unchanged(store: Store, file: FileRecord) -> None:
    """Make sure that the media is still the one that was added; a touched file is fingerprinted again.

    Raises:
        InvalidInput: it is gone.
        MediaError: it holds something else now.
        StoreError: it cannot be read.
    """
    path = Path(file.path)
    try:
        status = path.stat()
        touched = status.st_mtime_ns != store.files.modified(file.file_id, file.path)
        changed = status.st_size != file.bytes or (touched and fingerprint(path) != file.fingerprint)
    except FileNotFoundError:
        hint = "Add it again from where it lies now."
        raise InvalidInput(f"{file.filename} is no longer at {file.path}", hint=hint, file=file.path) from None
    except OSError as error:
        raise StoreError(f"{file.path} cannot be read: {error.strerror}", file=file.path) from error
    if changed:
        hint = "Add it again: it is a new file."
        raise MediaError(f"{file.filename} has changed since it was added", hint=hint, file=file.path)
    if touched:
        store.files.seen(file.file_id, file.path, status.st_size, status.st_mtime_ns)
