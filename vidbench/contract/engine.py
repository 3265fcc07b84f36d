"""The calls that every front end makes of an engine, in this process or over HTTP.

All arguments and answers are JSON-like or contract dataclasses, so the HTTP face is made from this list
alone: ``POST /bench/<method>`` with the arguments as one JSON object. Nothing here is a live connection,
cursor or process.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from vidbench.contract.chat import ChatCompletion
from vidbench.contract.collections import CollectionConfig, CollectionRecord
from vidbench.contract.describe import Describe
from vidbench.contract.jobs import Events, JobRecord
from vidbench.contract.media import FileRecord
from vidbench.contract.models import ModelStatus
from vidbench.contract.segmentation import Segmentation, SegmentationConfig

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """Rows of a table for a file.

    Attributes:
        table: speech, words, scene_text, segments, shots, segment_summaries, file_summaries ...
        rows: one mapping a row, in order of time.
        complete: False while the run that makes them has not finished.
    """

    table: str
    rows: tuple[dict[str, Any], ...]
    complete: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceInfo:
    """What a workspace is, and who holds it."""

    workspace_id: str
    path: str
    pid: int
    version: str
    details: dict[str, Any] = field(default_factory=dict)


class Engine(Protocol):
    """One workspace, wherever its owner runs."""

    def info(self) -> WorkspaceInfo:
        """The workspace and the process that owns it."""
        ...

    def add_file(self, *, path: str) -> FileRecord:
        """Probe *path* and take it into the workspace; the same content gives the same file."""
        ...

    def list_files(self) -> tuple[FileRecord, ...]:
        """Every file, oldest first."""
        ...

    def get_file(self, *, name: str) -> FileRecord:
        """The file of that id, name or path."""
        ...

    def submit(self, *, operation: str, subject_id: str, config: dict[str, Any]) -> JobRecord:
        """Ask for *operation*; an identical request joins the job that is there."""
        ...

    def get_job(self, *, job_id: str) -> JobRecord:
        """The job as it stands."""
        ...

    def list_jobs(self) -> tuple[JobRecord, ...]:
        """Every job, newest first."""
        ...

    def wait_events(self, *, job_id: str, after: int = 0, timeout: float = 0.0) -> Events:
        """The job, and its events after number *after*; waits up to *timeout* seconds for one."""
        ...

    def cancel_job(self, *, job_id: str) -> JobRecord:
        """Stop a job; a job that has ended stays as it is."""
        ...

    def read_rows(self, *, file_id: str, table: str, job_id: str = "") -> Rows:
        """Rows of the file's current run, or of the run that *job_id* made or is making."""
        ...

    def get_describe(self, *, job_id: str) -> Describe:
        """The description a job made, as far as it is."""
        ...

    def current_describe(self, *, file_id: str) -> Describe:
        """What a file shows now: the current run of each part; before there is one, what is being made."""
        ...

    def get_segmentation(self, *, segmentation_id: str, limit: int = 50, offset: int = 0) -> Segmentation:
        """A segmentation with a page of its segments; *limit* 1 to 100."""
        ...

    def retune(self, *, segmentation_id: str, config: SegmentationConfig) -> Segmentation:
        """The same shots with another config, from the stored curve; nothing is decoded or stored."""
        ...

    def list_collections(self) -> tuple[CollectionRecord, ...]:
        """Every collection, the built-in ``all`` first."""
        ...

    def create_collection(self, *, config: CollectionConfig) -> CollectionRecord:
        """A new collection; a taken name is a Conflict."""
        ...

    def get_collection(self, *, name: str) -> CollectionRecord:
        """The collection of that id or name."""
        ...

    def add_to_collection(self, *, collection_id: str, file_ids: tuple[str, ...]) -> CollectionRecord:
        """Put files into a collection; a file that is in it stays in it."""
        ...

    def get_chat(self, *, chat_id: str) -> ChatCompletion:
        """A stored chat completion."""
        ...

    def list_chats(self, *, collection_id: str = "", limit: int = 50) -> tuple[ChatCompletion, ...]:
        """Chat completions, newest first."""
        ...

    def query(
        self,
        *,
        sql: str,
        parameters: list[Any] | dict[str, Any] | None = None,
        frames: Mapping[str, pd.DataFrame] | None = None,
    ) -> pd.DataFrame:
        """One SELECT over the friendly views, with parameters and DataFrames as tables."""
        ...

    def list_models(self) -> tuple[ModelStatus, ...]:
        """The catalogue, and what of it is here."""
        ...

    def thumbnail(self, *, file_id: str, seconds: float | None = None) -> bytes:
        """The stored picture nearest to *seconds*, as JPEG; the poster where no time is given."""
        ...

    def close(self) -> None:
        """Let go: running jobs are interrupted, and go on at the next open."""
        ...
