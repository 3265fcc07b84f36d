"""A long video's summaries, merged level by level so that hours need no more memory than minutes.

Segments' summaries collect on level 0. When a level holds sixteen, its oldest eight are merged into one summary on
the level above. What waits is thus bounded by the logarithm of the length, and small enough for a checkpoint.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from vidbench.contract.chat import Usage
from vidbench.contract.work import Interrupt
from vidbench.language.evidence import Evidence, Passage
from vidbench.language.protocols import LanguageModel
from vidbench.language.summaries import Written, summarise_whole

GROUP = 8
"""Summaries merged into one."""
FULL = 2 * GROUP
"""A level this long is thinned; until then the end has the finer summaries to work with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A summary with the segments it rests on.

    Attributes:
        text: the summary.
        start_time: seconds.
        end_time: seconds.
        leaves: ids of the segment summaries that carry it.
    """

    text: str
    start_time: float
    end_time: float
    leaves: tuple[str, ...]

    def line(self, number: int) -> Passage:
        """The node as evidence for the level above."""
        return Passage(
            passage_id=str(number),
            text=self.text,
            kind="segment_summary",
            start_time=self.start_time,
            end_time=self.end_time,
        )


class Outline:
    """The summaries that wait to be merged, level by level.

    Args:
        levels: as ``as_json`` gave them, to go on from a checkpoint.
    """

    def __init__(self, levels: Sequence[Sequence[dict[str, Any]]] = ()) -> None:
        self.levels = [[_node(data) for data in level] for level in levels]
        self.usage = Usage()
        """Tokens that merging took since this object was made."""

    def as_json(self) -> list[list[dict[str, Any]]]:
        """What waits, for a checkpoint."""
        return [[_data(node) for node in level] for level in self.levels]

    @property
    def nodes(self) -> list[Node]:
        """Everything that waits, in order of time: higher levels are older."""
        return [node for level in reversed(self.levels) for node in level]

    def add(self, node: Node) -> None:
        """Put a segment's summary on level 0."""
        if not self.levels:
            self.levels.append([])
        self.levels[0].append(node)

    def thin(self, model: LanguageModel, interrupt: Interrupt, *, full: int = FULL) -> Generator[None, None, None]:
        """Merge the oldest eight of each level that holds at least *full*."""
        for height in range(len(self.levels)):
            if len(self.levels[height]) < full:
                continue
            oldest = self.levels[height][:GROUP]
            merged = yield from merge(model, oldest, interrupt)
            self.usage += merged.usage
            if height + 1 == len(self.levels):
                self.levels.append([])
            self.levels[height] = self.levels[height][len(oldest) :]
            self.levels[height + 1].append(_parent(oldest, merged))

    def finish(self, model: LanguageModel, interrupt: Interrupt, *, tokens: int) -> Generator[None, None, Written]:
        """The summary of everything that waits, thinned until its lines take no more than *tokens*."""
        while len(self.nodes) > GROUP and model.count(_shown(self.nodes)) > tokens:
            yield from self._thin_once(model, interrupt)
        return (yield from merge(model, self.nodes, interrupt))

    def _thin_once(self, model: LanguageModel, interrupt: Interrupt) -> Generator[None, None, None]:
        longest = max(len(level) for level in self.levels)
        yield from self.thin(model, interrupt, full=longest)


def merge(model: LanguageModel, nodes: Sequence[Node], interrupt: Interrupt) -> Generator[None, None, Written]:
    """One summary of *nodes*; its claims cite the segment summaries below them."""
    lines = [node.line(number) for number, node in enumerate(nodes)]
    written = yield from summarise_whole(model, lines, interrupt)
    return _with_leaves(written, nodes)


def _with_leaves(written: Written, nodes: Sequence[Node]) -> Written:
    claims = tuple(
        replace(claim, evidence=tuple(leaf for one in claim.evidence for leaf in nodes[int(one)].leaves))
        for claim in written.claims
    )
    return replace(written, claims=claims)


def _parent(children: Sequence[Node], merged: Written) -> Node:
    leaves = dict.fromkeys(leaf for claim in merged.claims for leaf in claim.evidence)
    return Node(
        text=merged.summary,
        start_time=children[0].start_time,
        end_time=children[-1].end_time,
        leaves=tuple(leaves),
    )


def _shown(nodes: Sequence[Node]) -> str:
    return Evidence(tuple(node.line(number) for number, node in enumerate(nodes))).prompt()


def _data(node: Node) -> dict[str, Any]:
    times = {"start_time": node.start_time, "end_time": node.end_time}
    return {"text": node.text, **times, "leaves": list(node.leaves)}


def _node(data: dict[str, Any]) -> Node:
    return Node(**{**data, "leaves": tuple(data["leaves"])})
