"""The verbs: config in, rows out. ``OPERATIONS`` is the one list that every face reads."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from vidbench.contract.chat import ChatConfig
from vidbench.contract.describe import DescribeConfig
from vidbench.contract.media import MediaFacts
from vidbench.contract.segmentation import SegmentationConfig
from vidbench.operations import describe, segment
from vidbench.operations.plan import Step

Plan = Callable[[Any, MediaFacts], tuple[Step, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """A verb.

    Attributes:
        name: what it is called in Python, HTTP and on the command line.
        summary: one line for help and docs.
        config: its config, a contract dataclass.
        subject: what it works on.
        plan: config and facts -> the stages to run; None where there is nothing to keep (chat).
        check: refuses a config that its types allow but that makes no sense.
    """

    name: str
    summary: str
    config: type
    subject: Literal["file", "collection"]
    plan: Plan | None = None
    check: Callable[[Any, MediaFacts], None] | None = None


OPERATIONS = (
    Operation(
        name="describe",
        summary="Say what is said, shown and meant in a file, with times.",
        config=DescribeConfig,
        subject="file",
        plan=describe.plan,
        check=describe.check,
    ),
    Operation(
        name="segment",
        summary="Cut a file into segments of time.",
        config=SegmentationConfig,
        subject="file",
        plan=segment.plan,
        check=segment.check,
    ),
    Operation(
        name="chat",
        summary="Ask a collection; the answer cites the words it rests on.",
        config=ChatConfig,
        subject="collection",
    ),
)
BY_NAME = {operation.name: operation for operation in OPERATIONS}
"""Every operation by name."""
