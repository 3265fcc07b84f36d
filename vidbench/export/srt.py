"""SubRip subtitles, the format that every player reads."""

from __future__ import annotations

from vidbench.contract.describe import Describe
from vidbench.export.cues import Cue, speech_cues


def write(describe: Describe, *, filename: str = "") -> str:  # noqa: ARG001 - SubRip has no place for a name
    """The transcript as SubRip text; empty where nothing is said.

    Raises:
        NotReady: there is no transcript.
    """
    cues = speech_cues(describe, name_speakers=True)
    return "".join(_block(number, cue) for number, cue in enumerate(cues, start=1))


def _block(number: int, cue: Cue) -> str:
    text = "\n".join(" ".join(token.text for token in line) for line in cue.lines)
    # SubRip knows no escapes: an arrow in the text would read as a line of times.
    text = text.replace("-->", "→")
    return f"{number}\n{_clock(cue.start)} --> {_clock(cue.end)}\n{text}\n\n"


def _clock(milliseconds: int) -> str:
    seconds, millisecond = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02},{millisecond:03}"
