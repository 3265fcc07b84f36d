"""WebVTT subtitles, what a browser's ``<track>`` reads (W3C, "WebVTT: The Web Video Text Tracks Format")."""

from __future__ import annotations

from html import escape

from vidbench.contract.describe import Describe
from vidbench.export.cues import Cue, Token, speech_cues


def write(describe: Describe, *, filename: str = "", word_times: bool = False) -> str:  # noqa: ARG001 - no place for it
    """The transcript as WebVTT text; only its header where nothing is said.

    Args:
        describe: what was found.
        filename: not shown.
        word_times: whether each word carries its time, so that players can highlight it as it is spoken.

    Raises:
        NotReady: there is no transcript.
    """
    return "WEBVTT\n\n" + "".join(_block(cue, word_times) for cue in speech_cues(describe))


def _block(cue: Cue, word_times: bool) -> str:
    shown = cue.start
    lines = []
    for line in cue.lines:
        words = []
        for token in line:
            stamp = word_times and shown < token.start < cue.end
            words.append(_stamped(token) if stamp else escape(token.text, quote=False))
            shown = token.start if stamp else shown
        lines.append(" ".join(words))
    voice = f"<v {escape(cue.speaker, quote=False)}>" if cue.speaker else ""
    text = "\n".join(lines)
    return f"{_clock(cue.start)} --> {_clock(cue.end)}\n{voice}{text}\n\n"


def _stamped(token: Token) -> str:
    return f"<{_clock(token.start)}><c>{escape(token.text, quote=False)}</c>"


def _clock(milliseconds: int) -> str:
    seconds, millisecond = divmod(milliseconds, 1000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    return f"{hour:02}:{minute:02}:{second:02}.{millisecond:03}"
