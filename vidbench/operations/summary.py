"""The summary stage: title and summary of each segment, then of the file, every sentence with its evidence."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

from vidbench.contract.chat import Claim, Usage
from vidbench.contract.ids import canonical, stable_id
from vidbench.contract.validation import to_json
from vidbench.contract.work import Batch, Interrupt, Row, Unit
from vidbench.language.evidence import SEEN, SPOKEN, Evidence, Passage, clock, fitting
from vidbench.language.outline import Node, Outline
from vidbench.language.protocols import LanguageModel
from vidbench.language.summaries import Written, summarise_segment, summarise_whole
from vidbench.operations.stages import Models

WHOLE_TOKENS = 2000
"""A file whose lines take no more than this is summed up from the lines themselves: about ten minutes of talk."""
SEGMENT_TOKENS = 1200
MIN_CONFIDENCE = 0.2
"""Lines that the speech or text model itself all but disbelieves are no evidence."""


def run(unit: Unit, models: Models, interrupt: Interrupt) -> Iterator[Batch]:
    """Summarise each segment, then the file; one batch a summary, resumable after each.

    Inputs: ``segments``, ``speech`` and ``scene_text`` rows. Rows: ``segment_summaries`` and one of
    ``file_summaries``, whose claims name the rows they rest on. The last batch's result counts how the
    summaries came about and says in words what is not as it should be.
    """
    yield from _Summary(unit, models.get("language"), interrupt).batches()


class _Summary:
    """One run of the stage: its lines, and what the checkpoint has to remember."""

    def __init__(self, unit: Unit, model: LanguageModel, interrupt: Interrupt) -> None:
        self.unit = unit
        self.model = model
        self.interrupt = interrupt
        self.segments: Sequence[Row] = unit.inputs["segments"]
        self.lines = evidence_lines(unit.inputs["speech"], unit.inputs["scene_text"])
        shown = Evidence(tuple(self.lines)).prompt()
        self.direct = model.count(shown) <= min(WHOLE_TOKENS, model.context // 3)
        self.next = int(unit.position.get("segment", 0))
        self.outline = Outline(unit.position.get("levels", ()))
        self.tally: dict[str, int] = dict(unit.position.get("tally", {}))
        self.usage = Usage(**unit.position.get("usage", {}))
        self.doubtful: list[str] = list(unit.position.get("doubtful", ()))

    def batches(self) -> Iterator[Batch]:
        for number in range(self.next, len(self.segments)):
            self.interrupt.check()
            row = yield from self._paused(self._segment(number))
            self.next = number + 1
            yield Batch(rows={"segment_summaries": [row]}, position=self.position, progress=self.progress)
        self.interrupt.check()
        row = yield from self._paused(self._file())
        yield Batch(
            rows={"file_summaries": [row]},
            position=self.position,
            progress=1.0,
            result=self._result(),
        )

    @property
    def position(self) -> dict[str, Any]:
        return {
            "segment": self.next,
            "levels": self.outline.as_json(),
            "tally": dict(self.tally),
            "usage": to_json(self.usage + self.outline.usage),
            "doubtful": list(self.doubtful),
        }

    @property
    def progress(self) -> float:
        return self.next / (len(self.segments) + 1)

    def _paused(self, work: Generator[None, None, Row]) -> Generator[Batch, None, Row]:
        """Give the worker a step whenever a call stood aside; nothing is lost and nothing new is committed."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                row: Row = end.value
                return row
            yield Batch(progress=self.progress)

    def _segment(self, number: int) -> Generator[None, None, Row]:
        segment = self.segments[number]
        start, end = segment["start_time"], segment["end_time"]
        lines = fitting(lines_within(self.lines, start, end), tokens=SEGMENT_TOKENS, count=self.model.count)
        written = yield from summarise_segment(self.model, lines, self.interrupt)
        self._note(written, f"segment at {clock(start)}")
        if not self.direct and written.quality != "empty":
            leaf = stable_id(self.unit.run_id, "segment_summaries", number)
            text = written.summary
            self.outline.add(Node(text=text, start_time=start, end_time=end, leaves=(leaf,)))
            yield from self.outline.thin(self.model, self.interrupt)
        times = {"start_time": start, "end_time": end}
        return {"ordinal": number, "segment_id": segment["id"], **times, **_columns(written)}

    def _file(self) -> Generator[None, None, Row]:
        if self.direct:
            written = yield from summarise_whole(self.model, self.lines, self.interrupt)
        else:
            written = yield from self.outline.finish(self.model, self.interrupt, tokens=self.model.context // 3)
        self._note(written, "file")
        return {"ordinal": 0, **_columns(written)}

    def _note(self, written: Written, what: str) -> None:
        self.tally[written.quality] = self.tally.get(written.quality, 0) + 1
        self.usage += written.usage
        if written.quality in {"mixed", "extractive"} and written.usage.total_tokens:
            self.doubtful.append(what)

    def _result(self) -> dict[str, Any]:
        told = ", ".join(self.doubtful)
        warnings = [f"Quoted where the model's own sentences did not stand: {told}"] if told else []
        facts = {"segments": len(self.segments), "quality": dict(self.tally)}
        usage = to_json(self.usage + self.outline.usage)
        return {**facts, "usage": usage, "warnings": warnings}


def evidence_lines(speech: Sequence[Row], scene_text: Sequence[Row]) -> list[Passage]:
    """Rows of the transcript and of text in the picture as evidence, in order of time; doubtful rows are left out."""
    lines = [_line(row, SPOKEN) for row in speech if _trusted(row)]
    lines += [_line(row, SEEN) for row in scene_text if _trusted(row)]
    return sorted(lines, key=lambda line: (line.start_time, line.kind != SPOKEN))


def lines_within(lines: Sequence[Passage], start: float, end: float) -> list[Passage]:
    """The lines whose middle lies in ``[start, end)``; where there is none, those that reach into it.

    Example:
        >>> line = Passage(passage_id="p", text="a", start_time=0.0, end_time=6.0)
        >>> lines_within([line], 0.0, 4.0) == [line], lines_within([line], 5.0, 9.0) == [line]
        (True, True)
    """
    inside = [line for line in lines if start <= (line.start_time + line.end_time) / 2 < end]
    return inside or [line for line in lines if line.start_time < end and start < line.end_time]


def _trusted(row: Row) -> bool:
    confidence = row.get("confidence")
    return bool(row["text"].strip()) and (confidence is None or confidence >= MIN_CONFIDENCE)


def _line(row: Row, kind: str) -> Passage:
    times = {"start_time": row["start_time"], "end_time": row["end_time"]}
    return Passage(passage_id=row["id"], row_id=row["id"], text=row["text"], kind=kind, **times)


def _columns(written: Written) -> Row:
    return {
        "title": written.title,
        "summary": written.summary,
        "claims": claims_json(written.claims),
    }


def claims_json(claims: Sequence[Claim]) -> str:
    """Claims as the JSON text that is stored."""
    return canonical([to_json(claim) for claim in claims])
