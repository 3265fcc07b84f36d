"""A stand-in for an engine, and an endpoint that serves it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import duckdb
import httpx
import pandas as pd
import pytest

from vidbench import errors
from vidbench.contract.chat import (
    ChatCompletion,
    ChatPayload,
    Choice,
    Citation,
    Claim,
    Message,
    SourceText,
    Usage,
)
from vidbench.contract.collections import CollectionConfig, CollectionRecord
from vidbench.contract.describe import (
    Describe,
    DescribeConfig,
    DescribeData,
    SceneText,
    SegmentSummary,
    SpeechLine,
    Word,
)
from vidbench.contract.engine import Rows, WorkspaceInfo
from vidbench.contract.jobs import Event, Events, JobRecord, StageReport
from vidbench.contract.media import FileRecord, MediaFacts, StreamFacts
from vidbench.contract.models import ModelEntry, ModelFile, ModelSource, ModelStatus
from vidbench.contract.segmentation import (
    Segment,
    Segmentation,
    SegmentationConfig,
    SegmentationData,
    Shot,
)
from vidbench.contract.states import State
from vidbench.remote import RemoteEngine
from vidbench_server import Endpoint

TOKEN = "a-token-of-a-test"

STREAM = StreamFacts(
    index=0,
    kind="video",
    codec="h264",
    time_base="1/90000",
    start_pts=None,
    details={"profile": "High", "bit_depth": 8, "mean": 0.5, "alpha": False, "language": None},
)
FACTS = MediaFacts(
    media_type="video",
    container="mp4",
    duration_seconds=183.25,
    origin="1/3",
    video_index=0,
    audio_index=None,
    width=480,
    height=360,
    rotation=90,
    pixel_aspect="1/1",
    frame_rate="30000/1001",
    variable_frame_rate=True,
    has_audio=False,
    video_codec="h264",
    audio_codec="",
    audio_offset=0.0,
    browser_playable=True,
    why_not_playable="",
    streams=(STREAM,),
    warnings=("übel",),
)
FILE = FileRecord(
    file_id="f1",
    fingerprint="ab",
    filename='ta"lk <b>.mp4',
    path="/talks/talk.mp4",
    bytes=2**40,
    created_at=1_700_000_000_000,
    facts=FACTS,
)
JOB = JobRecord(
    job_id="j1",
    operation="describe",
    subject_id="f1",
    subject_name="talk.mp4",
    config={"enable_speech": True, "nested": [1, None, {"a": 0.1}]},
    key="k",
    state=State.RUNNING,
    attempt=2,
    created_at=1,
    progress=1 / 3,
    stage="speech",
    eta_seconds=None,
    stages=(StageReport(name="scan", run_id="r", state=State.COMPLETED, reused=True),),
)
SPEECH = SpeechLine(
    text="Wanna work together?",
    start_time=0.1,
    end_time=2.0,
    words=(Word(word="Wanna", start_time=0.1, end_time=0.4, confidence=0.9),),
    language="en",
)
DESCRIBE = Describe(
    job_id="j1",
    status="completed",
    url="file:///talks/talk.mp4",
    duration_seconds=183.25,
    created_at=1,
    describe_config=DescribeConfig(segmentation_config=SegmentationConfig()),
    data=DescribeData(
        title="T",
        summary="S",
        speech=(SPEECH,),
        scene_text=(SceneText(text="CC", start_time=1, end_time=2, box=(0.1, 0.2, 0.3, 0.4)),),
        segment_summary=(SegmentSummary(title="a", summary="b", start_time=0, end_time=20),),
    ),
    warnings=("low confidence",),
)
SEGMENTATION = Segmentation(
    segmentation_id="s1",
    status="completed",
    created_at=1,
    file_id="f1",
    segmentation_config=SegmentationConfig(strategy="shot-detector"),
    total_segments=1,
    data=SegmentationData(
        total=1,
        limit=50,
        offset=0,
        segments=(Segment(id="x", start_time=0.0, end_time=1 / 3),),
        shots=(Shot(index=0, start_time=0.0, end_time=1 / 3),),
    ),
)
COLLECTION = CollectionRecord(id="c1", name="all", collection_type="media-descriptions", created_at=1, file_count=1)
CHAT = ChatCompletion(
    id="h1",
    created_at=1,
    model="nimbus-001",
    choices=(
        Choice(
            index=0,
            message=Message(content="Yes.", role="assistant"),
            citations=(
                Citation(
                    collection_id="c1",
                    file_id="f1",
                    segment_id="x",
                    start_time="0.10",
                    end_time="2.00",
                    text="work together",
                    context="Wanna work together?",
                    relevant_sources=(SourceText(text="Yes."),),
                    speech=(SPEECH,),
                ),
            ),
        ),
    ),
    payload=ChatPayload(messages=(Message(content="May I?"),), collections=("c1",)),
    usage=Usage(prompt_tokens=3, completion_tokens=1, total_tokens=4),
    claims=(Claim(text="Yes.", evidence=("p1",), support=0.5),),
)
MODEL = ModelStatus(
    entry=ModelEntry(
        name="tiny",
        role="speech",
        tier="tiny",
        engine="fake",
        publisher="us",
        licence="MIT",
        files=(ModelFile(name="m.bin", sha256="00", bytes=3),),
        sources=(ModelSource(kind="wheel", packages=("a==1",), members={"m.bin": ("a", "b")}),),
    ),
    present=True,
    path="/models/tiny",
)
JPEG = b"\xff\xd8\xff\xe0 not text \x00\xff"


class StandIn:
    """An ``Engine`` that remembers what it was asked and gives fixed answers."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, dict[str, Any]]] = []
        self.raises: Exception | None = None
        self.happens_at = 0.0
        self.ended = False

    def _answer(self, name: str, answer: Any, /, **arguments: Any) -> Any:
        self.asked.append((name, arguments))
        if self.raises is not None:
            raise self.raises
        return answer

    def info(self) -> WorkspaceInfo:
        details = {"cores": 2, "deep": {"x": [None, "y"]}}
        info = WorkspaceInfo(workspace_id="w", path="/w", pid=7, version="0", details=details)
        return self._answer("info", info)

    def add_file(self, *, path: str) -> FileRecord:
        return self._answer("add_file", FILE, path=path)

    def list_files(self) -> tuple[FileRecord, ...]:
        return self._answer("list_files", (FILE, FILE))

    def get_file(self, *, name: str) -> FileRecord:
        return self._answer("get_file", FILE, name=name)

    def submit(self, *, operation: str, subject_id: str, config: dict[str, Any]) -> JobRecord:
        arguments = {"operation": operation, "subject_id": subject_id, "config": config}
        return self._answer("submit", JOB, **arguments)

    def get_job(self, *, job_id: str) -> JobRecord:
        return self._answer("get_job", JOB, job_id=job_id)

    def list_jobs(self) -> tuple[JobRecord, ...]:
        return self._answer("list_jobs", ())

    def wait_events(self, *, job_id: str, after: int = 0, timeout: float = 0.0) -> Events:
        until = time.monotonic() + timeout
        while time.monotonic() < min(until, self.happens_at):
            time.sleep(0.01)
        job = replace(JOB, state=State.COMPLETED) if self.ended else JOB
        happened = not self.ended and self.happens_at <= time.monotonic()
        events = (Event(number=after + 1, kind="rows", rows=3),) if happened else ()
        return self._answer("wait_events", Events(job=job, events=events), job_id=job_id)

    def cancel_job(self, *, job_id: str) -> JobRecord:
        return self._answer("cancel_job", replace(JOB, state=State.CANCELLED), job_id=job_id)

    def read_rows(self, *, file_id: str, table: str, job_id: str = "") -> Rows:
        rows = ({"id": "1", "start_time": 0.1, "speaker": None}, {"text": "é", "list": [1, 2]})
        arguments = {"file_id": file_id, "table": table, "job_id": job_id}
        return self._answer("read_rows", Rows(table=table, rows=rows, complete=False), **arguments)

    def get_describe(self, *, job_id: str) -> Describe:
        return self._answer("get_describe", DESCRIBE, job_id=job_id)

    def current_describe(self, *, file_id: str) -> Describe:
        return self._answer("current_describe", DESCRIBE, file_id=file_id)

    def get_segmentation(self, *, segmentation_id: str, limit: int = 50, offset: int = 0) -> Segmentation:
        arguments = {"segmentation_id": segmentation_id, "limit": limit, "offset": offset}
        return self._answer("get_segmentation", SEGMENTATION, **arguments)

    def retune(self, *, segmentation_id: str, config: SegmentationConfig) -> Segmentation:
        arguments = {"segmentation_id": segmentation_id, "config": config}
        return self._answer("retune", replace(SEGMENTATION, segmentation_config=config), **arguments)

    def list_collections(self) -> tuple[CollectionRecord, ...]:
        return self._answer("list_collections", (COLLECTION,))

    def create_collection(self, *, config: CollectionConfig) -> CollectionRecord:
        return self._answer("create_collection", COLLECTION, config=config)

    def get_collection(self, *, name: str) -> CollectionRecord:
        return self._answer("get_collection", COLLECTION, name=name)

    def add_to_collection(self, *, collection_id: str, file_ids: tuple[str, ...]) -> CollectionRecord:
        arguments = {"collection_id": collection_id, "file_ids": file_ids}
        return self._answer("add_to_collection", COLLECTION, **arguments)

    def get_chat(self, *, chat_id: str) -> ChatCompletion:
        return self._answer("get_chat", CHAT, chat_id=chat_id)

    def list_chats(self, *, collection_id: str = "", limit: int = 50) -> tuple[ChatCompletion, ...]:
        return self._answer("list_chats", (CHAT,), collection_id=collection_id, limit=limit)

    def query(self, *, sql: str, parameters: Any = None, frames: Any = None) -> pd.DataFrame:
        with duckdb.connect(":memory:", config={"threads": 1}) as connection:
            for name, frame in (frames or {}).items():
                connection.register(name, frame)
            df = connection.execute(sql, parameters).df()
        return self._answer("query", df, sql=sql, parameters=parameters, frames=frames)

    def list_models(self) -> tuple[ModelStatus, ...]:
        return self._answer("list_models", (MODEL,))

    def thumbnail(self, *, file_id: str, seconds: float | None = None) -> bytes:
        return self._answer("thumbnail", JPEG, file_id=file_id, seconds=seconds)

    def close(self) -> None:
        self._answer("close", None)


@pytest.fixture(scope="module", name="served")
def _served() -> Iterator[tuple[StandIn, Endpoint]]:
    engine = StandIn()
    endpoint = Endpoint.start(engine, TOKEN)
    yield engine, endpoint
    endpoint.stop()


@pytest.fixture(name="engine")
def _engine(served: tuple[StandIn, Endpoint]) -> StandIn:
    engine = served[0]
    engine.asked.clear()
    engine.raises, engine.happens_at, engine.ended = None, 0.0, False
    return engine


@pytest.fixture(name="url")
def _url(served: tuple[StandIn, Endpoint], engine: StandIn) -> str:
    return served[1].url


@pytest.fixture(name="token")
def _token() -> str:
    return TOKEN


@pytest.fixture(name="remote")
def _remote(url: str) -> Iterator[RemoteEngine]:
    remote = RemoteEngine(url, TOKEN)
    yield remote
    remote.close()


@pytest.fixture(name="http")
def _http(url: str) -> Iterator[httpx.Client]:
    headers = {"Authorization": f"Bearer {TOKEN}"}
    with httpx.Client(base_url=url, headers=headers, trust_env=False) as client:
        yield client


@pytest.fixture(name="family")
def _family() -> list[type[errors.VidbenchError]]:
    return [kind for kind in vars(errors).values() if _is_ours(kind)]


def _is_ours(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, errors.VidbenchError)
