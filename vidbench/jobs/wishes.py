"""From a wish to a job: its plan, and the key by which an equal wish is known again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vidbench.contract.chat import ChatConfig
from vidbench.contract.collections import CollectionRecord
from vidbench.contract.ids import digest, fresh_id, now_ms
from vidbench.contract.jobs import JobRecord
from vidbench.contract.media import FileRecord
from vidbench.contract.states import State
from vidbench.contract.validation import to_json
from vidbench.errors import InvalidInput
from vidbench.jobs.context import Planned, plan_keys
from vidbench.models import checksum_of, choose
from vidbench.operations import Operation
from vidbench.operations.plan import Step
from vidbench.operations.stages import STAGES, key_parts

if TYPE_CHECKING:
    from vidbench.store.store import Store


def planned(store: Store, verb: Operation, wish: Any, file: FileRecord) -> tuple[Planned, ...]:
    """The steps that *wish* takes on *file*, each with its key.

    Raises:
        InvalidInput: the wish names a segmentation that is not completed.
    """
    assert verb.plan is not None
    steps: tuple[Step, ...] = verb.plan(wish, file.facts)
    existing = {step.run_id: _finished_key(store, step.run_id) for step in steps if step.run_id}
    models = {role: choose(role) for step in steps for role in STAGES[step.stage].roles}
    return plan_keys(steps, file, models, existing)


def file_job(verb: Operation, wish: Any, file: FileRecord, plan: tuple[Planned, ...]) -> JobRecord:
    """The job for a wish about a file; what it makes is known before it starts."""
    runs = [one.run_id for one in plan]
    segmentation = next((one.run_id for one in plan if one.step.stage == "segmentation"), "")
    return _job(
        verb,
        (file.file_id, file.filename),
        wish,
        key=digest({"operation": verb.name, "subject": file.file_id, "runs": runs}),
        result_id=segmentation if verb.name == "segment" else "",
    )


def chat_job(store: Store, verb: Operation, wish: ChatConfig, collection: CollectionRecord) -> JobRecord:
    """The job for a question: the same words about the same state of the collection are the same job.

    A temperature above 0 asks for another answer each time.

    Raises:
        InvalidInput: the question is empty.
    """
    if not wish.messages[-1].content.strip():
        raise InvalidInput("messages: the question is empty", hint="Ask something.", field="messages")
    stage = STAGES["chat"]
    shown = {f: store.runs.current(f, "passages") for f in store.collections.members(collection.id)}
    models = {role: checksum_of(choose(role)) for role in ("language", "embedding")}
    parts = key_parts(stage, config=to_json(wish), models=models, inputs=shown)
    key = digest({"collection": collection.id, **parts}) if wish.temperature == 0 else fresh_id()
    return _job(verb, (collection.id, collection.name), wish, key=key)


def _job(verb: Operation, subject: tuple[str, str], wish: Any, *, key: str, result_id: str = "") -> JobRecord:
    return JobRecord(
        job_id=fresh_id(),
        operation=verb.name,
        subject_id=subject[0],
        subject_name=subject[1],
        config=to_json(wish),
        key=key,
        state=State.QUEUED,
        attempt=0,
        created_at=now_ms(),
        result_id=result_id,
    )


def _finished_key(store: Store, run_id: str) -> str:
    run = store.runs.get(run_id)
    if run is None or run.kind != "segmentation" or run.state is not State.COMPLETED:
        hint = "Run file.segment() first."
        raise InvalidInput(f"segmentation_id: no completed segmentation {run_id}", hint=hint, field="segmentation_id")
    return run.key
