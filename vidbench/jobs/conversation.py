"""Answering a question: embed, retrieve, generate under a grammar, turn evidence into citations."""

from __future__ import annotations

from typing import Any

from vidbench.contract.chat import (
    MODEL_ON_THE_WIRE,
    NOT_IN_THESE_VIDEOS,
    ChatCompletion,
    ChatConfig,
    ChatPayload,
    Choice,
    Citation,
    Claim,
    Message,
    SourceText,
    Usage,
)
from vidbench.contract.collections import CollectionRecord
from vidbench.contract.describe import SceneText, SpeechLine, Word
from vidbench.contract.ids import fresh_id, now_ms
from vidbench.contract.validation import parse, to_json
from vidbench.contract.work import Batch, Unit
from vidbench.errors import NotReady
from vidbench.jobs.context import Context, LiveJob
from vidbench.jobs.stages import ready_models_of, versions
from vidbench.language.evidence import PRIMARY
from vidbench.models import checksum_of, choose
from vidbench.operations.chat import retrieval_text
from vidbench.operations.stages import STAGES, prompt_digest
from vidbench.retrieval.search import Hit, search

PASSAGES = 12
"""Evidence lines offered to the model: more confuse a small model without finding more."""
DEPTH = 4 * PASSAGES
"""How deep the search goes for them: summaries are found, too, and are no evidence."""


def converse(context: Context, live: LiveJob, collection: CollectionRecord) -> ChatCompletion:
    """Answer the last message of the job's config from *collection*, and store the completion.

    Raises:
        NotReady: nothing in the collection was described yet.
        Interrupted: the job was cancelled.
    """
    config = parse(ChatConfig, live.record.config)
    text = retrieval_text(config.messages)
    vector = _ask(context, live, "question", {"text": text}, {})["vector"]
    members = context.store.collections.members(collection.id)
    if not context.index.covers(members):
        raise NotReady(
            f"Nothing in the collection '{collection.name}' has been described yet",
            hint="Run file.describe() or `vidbench describe FILE` first.",
        )
    hits = search(context.index, text, vector, members, DEPTH)
    evidence = [hit for hit in hits if hit.kind in PRIMARY][:PASSAGES]
    passages = [_passage(context, hit) for hit in evidence]
    result = _ask(context, live, "chat", to_json(config), {"passages": passages})
    completion = _completion(context, collection, config, passages, result)
    context.store.chats.add(completion)
    return completion


def _ask(context: Context, live: LiveJob, stage: str, config: dict[str, Any], inputs: dict[str, Any]) -> dict[str, Any]:
    """Run an interactive unit; tokens go to whoever listens."""
    models = ready_models_of(context, live, stage)
    unit = Unit(stage=stage, run_id=live.record.job_id, config=config, models=models, inputs=inputs)
    result: dict[str, Any] = {}
    live.progress.enter(stage)

    def on_batch(batch: Batch) -> None:
        if batch.token:
            context.events.add(live.record.job_id, "token", stage=stage, text=batch.token)
        result.update(batch.result)

    context.pool.ask("language", unit, on_batch=on_batch, cancelled=lambda: live.stopped)
    return result


def _passage(context: Context, hit: Hit) -> dict[str, Any]:
    """A hit with what the answer stage needs: its file's name, and the words that were spoken."""
    words = context.store.runs.words_of(hit.row_id) if hit.kind == "speech" else []
    return {
        "passage_id": hit.passage_id,
        "row_id": hit.row_id,
        "file_id": hit.file_id,
        "filename": context.store.files.get(hit.file_id).filename,
        "kind": hit.kind,
        "text": hit.text,
        "start_time": hit.start_time,
        "end_time": hit.end_time,
        "score": hit.score,
        "cosine": hit.cosine,
        "words": words,
    }


def _completion(
    context: Context,
    collection: CollectionRecord,
    config: ChatConfig,
    passages: list[dict[str, Any]],
    result: dict[str, Any],
) -> ChatCompletion:
    claims = tuple(parse(Claim, claim) for claim in result["claims"])
    text = result["text"] if result["answered"] else NOT_IN_THESE_VIDEOS
    by_id = {passage["passage_id"]: passage for passage in passages}
    citations = tuple(
        _citation(context, collection, by_id[quote["passage_id"]], quote, claims[quote["claim"]].text)
        for quote in result["quotes"]
    )
    message = Message(role="assistant", content=text)
    return ChatCompletion(
        id=fresh_id(),
        created_at=now_ms(),
        model=MODEL_ON_THE_WIRE,
        choices=(Choice(index=0, message=message, citations=citations),),
        payload=ChatPayload(messages=config.messages, collections=(collection.id,), temperature=config.temperature),
        usage=parse(Usage, result["usage"]),
        answered=result["answered"],
        claims=claims,
        provenance=_provenance(),
    )


def _provenance() -> dict[str, Any]:
    models = {role: choose(role) for role in ("language", "embedding")}
    return {
        "models": {role: {"name": entry.name, "checksum": checksum_of(entry)} for role, entry in models.items()},
        "prompts": prompt_digest(STAGES["chat"].prompts),
        "libraries": versions(),
    }


def _citation(
    context: Context,
    collection: CollectionRecord,
    passage: dict[str, Any],
    quote: dict[str, Any],
    claim: str,
) -> Citation:
    start, end = quote["start_time"], quote["end_time"]
    spoken = passage["kind"] == "speech"
    words = tuple(Word(**word) for word in passage["words"])
    line = SpeechLine(
        text=passage["text"],
        start_time=passage["start_time"],
        end_time=passage["end_time"],
        words=words,
    )
    seen = SceneText(text=passage["text"], start_time=passage["start_time"], end_time=passage["end_time"])
    return Citation(
        collection_id=collection.id,
        file_id=passage["file_id"],
        segment_id=context.store.runs.segment_at(passage["file_id"], start),
        start_time=f"{start:.2f}",
        end_time=f"{end:.2f}",
        text=quote["text"],
        context=passage["text"],
        relevant_sources=(SourceText(text=claim),),
        speech=(line,) if spoken else (),
        scene_text=(seen,) if passage["kind"] == "scene_text" else (),
    )
