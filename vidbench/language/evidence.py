"""Evidence: the lines a model may rest on, under short ids that the grammar can list.

A model never writes a time or an id of the store. It sees ``L3 [01:12] text`` and may answer ``L3``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from vidbench.contract.describe import Word

SPOKEN = "speech"
SEEN = "scene_text"
PRIMARY = (SPOKEN, SEEN)
"""Kinds of passage that can be quoted; summaries are a model's own words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A stretch of text with its place in a video.

    Attributes:
        passage_id: names it to whoever asked.
        text: as spoken or read.
        start_time: seconds.
        end_time: seconds; half-open.
        kind: speech, scene_text, segment_summary or summary.
        row_id: the row it was made of.
        file_id: the file it is in.
        filename: that file's name.
        score: how well the search ranked it, higher is better.
        cosine: likeness to the question, -1 to 1; 0 where it was not measured.
        words: its words with their times; empty where they are not known.
    """

    passage_id: str
    text: str
    start_time: float = 0.0
    end_time: float = 0.0
    kind: str = SPOKEN
    row_id: str = ""
    file_id: str = ""
    filename: str = ""
    score: float = 0.0
    cosine: float = 0.0
    words: tuple[Word, ...] = ()

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Passage:
        """The passage of JSON-like *data*; fields it does not know are left aside.

        Example:
            >>> Passage.of({"passage_id": "p", "text": "Hello.", "words": None}).words
            ()
        """
        known = {name: data[name] for name in cls.__slots__ if data.get(name) is not None}
        spoken = (
            Word(word=word["word"], start_time=word["start_time"], end_time=word["end_time"])
            for word in known.pop("words", ())
        )
        return cls(**known, words=tuple(spoken))


@dataclass(frozen=True, slots=True)
class Evidence:
    """Passages under the ids L1, L2 ... in the order given."""

    passages: tuple[Passage, ...]

    @property
    def ids(self) -> list[str]:
        """Every id, for the grammar.

        Example:
            >>> Evidence((Passage(passage_id="p", text="a"),)).ids
            ['L1']
        """
        return [f"L{number}" for number in range(1, len(self.passages) + 1)]

    def __getitem__(self, line: str) -> Passage:
        """The passage that *line* stands for; a KeyError for an id that was not offered."""
        return dict(zip(self.ids, self.passages, strict=True))[line]

    def prompt(self) -> str:
        """The lines as a model reads them; file names only where there are several files.

        Example:
            >>> Evidence((Passage(passage_id="p", text="Hello.", start_time=72.4),)).prompt()
            'L1 [01:12] Hello.'
        """
        several = len({passage.file_id for passage in self.passages}) > 1
        rows = zip(self.ids, self.passages, strict=True)
        return "\n".join(f"{line} {_shown(passage, named=several)}" for line, passage in rows)


def clock(seconds: float) -> str:
    """*seconds* as people read them, rounded down: mm:ss, from one hour on h:mm:ss.

    Example:
        >>> clock(72.9), clock(3605)
        ('01:12', '1:00:05')
    """
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute:02}:{second:02}"


def fitting(passages: Sequence[Passage], *, tokens: int, count: Callable[[str], int]) -> tuple[Passage, ...]:
    """As many of *passages* as *tokens* allow, spread evenly over all of them and in their order.

    Args:
        passages: in order of time.
        tokens: what their prompt lines may take together.
        count: the model's own count.
    """
    kept = len(passages)
    while kept and count(Evidence(_spread(passages, kept)).prompt()) > tokens:
        kept -= max(1, kept // 10)
    return _spread(passages, kept)


def _spread(passages: Sequence[Passage], kept: int) -> tuple[Passage, ...]:
    return tuple(passages[index * len(passages) // kept] for index in range(kept))


def _shown(passage: Passage, *, named: bool) -> str:
    place = f"{passage.filename} {clock(passage.start_time)}" if named else clock(passage.start_time)
    text = " ".join(passage.text.split())
    return f'[{place}] on screen: "{text}"' if passage.kind == SEEN else f"[{place}] {text}"
