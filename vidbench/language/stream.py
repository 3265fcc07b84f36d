"""Reading an answer while it is being written: each sentence as soon as it is complete."""

from __future__ import annotations

from typing import Any

Sentence = dict[str, Any]


class SentenceStream:
    """Takes JSON in pieces of any size and gives out the finished entries of its ``sentences`` list.

    An entry counts as finished once another has begun or the list is closed, so nothing that is given out
    changes afterwards.

    Example:
        >>> stream = SentenceStream()
        >>> stream.feed('{"sentences": [{"text": "A b')
        []
        >>> stream.feed('ut c."}, {"te')
        [{'text': 'A but c.'}]
    """

    def __init__(self) -> None:
        self.text = ""
        self._given = 0

    def feed(self, piece: str) -> list[Sentence]:
        """The sentences that *piece* completes."""
        self.text += piece
        if "}" not in piece and "]" not in piece:  # only a bracket can complete an entry
            return []
        finished = _finished(self.text)
        fresh = finished[self._given :]
        self._given = len(finished)
        return fresh


def _finished(text: str) -> list[Sentence]:
    """The complete entries of ``sentences`` in JSON that may be cut anywhere."""
    from pydantic_core import from_json

    # Without partial strings an unfinished last entry is left out or lacks fields: it is told by the closing brace.
    try:
        data = from_json(text, allow_partial=True)
    except ValueError:
        return []
    entries = data.get("sentences", []) if isinstance(data, dict) else []
    return [entry for entry in entries if isinstance(entry, dict)][: _closed(text)]


def _closed(text: str) -> int:
    """How many objects inside the outermost object are closed in *text*."""
    depth = count = 0
    quoted = escaped = False
    for letter in text:
        if quoted:
            quoted = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            quoted = True
        elif letter == "{":
            depth += 1
        elif letter == "}":
            depth -= 1
            count += depth == 1
    return count
