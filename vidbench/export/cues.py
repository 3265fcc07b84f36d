"""Speech as subtitle cues: short lines, readable times, none over another.

Lines of at most 42 characters, two to a cue, shown 5/6 of a second to 7 seconds: Netflix's "Timed Text Style Guide:
General Requirements"; lines of like length, as the BBC's "Subtitle Guidelines" ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest

from vidbench.contract.describe import Describe, SpeechLine
from vidbench.errors import NotReady

LINE_CHARACTERS = 42
LINES = 2
SHORTEST_MS = 833
LONGEST_MS = 7000


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A word, or a piece of one that is too long for a line: ``[start, end)`` in milliseconds."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Cue:
    """What is on the screen for a while.

    Attributes:
        start: milliseconds.
        end: milliseconds, above *start* and not above the next cue's start.
        lines: one or two lines of tokens.
        speaker: who speaks, empty where that is not known.
    """

    start: int
    end: int
    lines: tuple[tuple[Token, ...], ...]
    speaker: str = ""


def speech_cues(describe: Describe, *, name_speakers: bool = False) -> list[Cue]:
    """The transcript of *describe* as cues in order of time; empty where nothing is said.

    Args:
        describe: what was found.
        name_speakers: whether the text of a line begins with who speaks, as ``Ann:``.

    Raises:
        NotReady: the transcript was not asked for, or is not there yet.
    """
    if describe.data is None or describe.data.speech is None:
        raise NotReady(
            "There is no transcript to make subtitles of",
            hint="Run file.describe(enable_speech=True), and wait for it.",
        )
    cues = (cue for line in describe.data.speech for cue in _cues_of(line, name_speakers))
    return _apart(sorted(cues, key=lambda cue: (cue.start, cue.end)))


def _cues_of(line: SpeechLine, name_speakers: bool) -> Iterator[Cue]:
    page: list[Token] = []
    for token in [*(_name(line) if name_speakers else ()), *_tokens(line)]:
        too_long = page and token.end - page[0].start > LONGEST_MS
        if too_long or len(_lines([*page, token])) > LINES:
            yield _cue(page, line)
            page = []
        page.append(token)
    if page:
        yield _cue(page, line)


def _cue(page: Sequence[Token], line: SpeechLine) -> Cue:
    return Cue(
        start=page[0].start,
        end=max(page[-1].end, page[0].start + 1),
        lines=_balanced(page),
        speaker=" ".join((line.speaker or "").split()),
    )


def _tokens(line: SpeechLine) -> list[Token]:
    """The words of *line* with times: the model's where they fit the text, else by their length."""
    words = line.text.split()
    if len(line.words) == len(words):
        timed = [
            Token(text=text, start=_ms(word.start_time), end=_ms(word.end_time))
            for text, word in zip(words, line.words, strict=True)
        ]
    else:
        timed = list(_spread(words, _ms(line.start_time), _ms(line.end_time)))
    return [piece for token in timed for piece in _pieces(token)]


def _name(line: SpeechLine) -> list[Token]:
    """Who speaks, as words that take no time."""
    at = _ms(line.start_time)
    words = f"{line.speaker}:".split() if line.speaker else []
    tokens = (Token(text=word, start=at, end=at) for word in words)
    return [piece for token in tokens for piece in _pieces(token)]


def _spread(words: Sequence[str], start: int, end: int) -> Iterator[Token]:
    """*words* with a share of the time each, by their characters."""
    total, before = sum(map(len, words)), 0
    for word in words:
        after = before + len(word)
        begin, finish = (start + (end - start) * part // total for part in (before, after))
        yield Token(text=word, start=begin, end=finish)
        before = after


def _pieces(token: Token) -> Iterable[Token]:
    """*token*, cut where it is longer than a line (writing without blanks, or a web address)."""
    if len(token.text) <= LINE_CHARACTERS:
        return (token,)
    return _spread(re.findall(f".{{1,{LINE_CHARACTERS}}}", token.text), token.start, token.end)


def _width(tokens: Sequence[Token]) -> int:
    return sum(len(token.text) for token in tokens) + len(tokens) - 1


def _lines(tokens: Sequence[Token]) -> list[list[Token]]:
    """*tokens* filled into lines, each as long as may be."""
    lines: list[list[Token]] = []
    for token in tokens:
        if lines and _width([*lines[-1], token]) <= LINE_CHARACTERS:
            lines[-1].append(token)
        else:
            lines.append([token])
    return lines


def _balanced(page: Sequence[Token]) -> tuple[tuple[Token, ...], ...]:
    """One line if it fits, else two of like length, the lower one the longer."""
    if _width(page) <= LINE_CHARACTERS:
        return (tuple(page),)
    splits = [(page[:cut], page[cut:]) for cut in range(1, len(page))]
    fitting = [pair for pair in splits if max(map(_width, pair)) <= LINE_CHARACTERS]
    upper, lower = min(fitting, key=lambda pair: (abs(_width(pair[0]) - _width(pair[1])), len(pair[0])))
    return tuple(upper), tuple(lower)


def _apart(cues: Sequence[Cue]) -> list[Cue]:
    """*cues* one after the other: each ends before the next starts, and short ones stay up longer."""
    found: list[Cue] = []
    free = 0
    for cue, following in zip_longest(cues, cues[1:]):
        start = max(cue.start, free)
        free = max(cue.end, start + SHORTEST_MS)
        if following is not None and following.start > start:
            free = min(free, following.start)
        elif following is not None:  # two speak at once: shown in turn
            free = start + SHORTEST_MS
        found.append(replace(cue, start=start, end=free))
    return found


def _ms(seconds: float) -> int:
    return max(round(seconds * 1000), 0)
