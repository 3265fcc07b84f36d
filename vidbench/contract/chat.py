"""Chat: questions to a collection, answers that cite the very words they rest on."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Interval, MinLen

from vidbench.contract.describe import SceneText, SpeechLine

MODEL_ON_THE_WIRE = "nimbus-001"
"""The contract's only chat model: an alias of the language role."""

NOT_IN_THESE_VIDEOS = "The answer is not in these videos."


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One turn of a conversation."""

    content: str
    role: Literal["system", "user", "assistant"] = "user"
    name: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatConfig:
    """A question with the conversation before it.

    Attributes:
        messages: the conversation so far; the last one is the question.
        temperature: 0 to 2; 0 always answers alike.
    """

    messages: Annotated[tuple[Message, ...], MinLen(1)]
    temperature: Annotated[float, Interval(ge=0, le=2)] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One sentence of an answer or summary, and whether its evidence bears it.

    Attributes:
        text: the sentence.
        evidence: ids of the passages it cites.
        supported: whether the cited words were found to carry it.
        support: 0 to 1, the share of its content words that the evidence carries.
    """

    text: str
    evidence: tuple[str, ...] = ()
    supported: bool = True
    support: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceText:
    """A stretch of text that an answer rests on."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """The place in a video that bears a sentence.

    Attributes:
        collection_id: collection that was asked.
        file_id: file cited.
        segment_id: segment of the file's description that holds the words.
        start_time: decimal seconds as text, narrowed to the cited words.
        end_time: decimal seconds as text.
        text: the cited words, letter for letter as they stand in the transcript or picture.
        context: the line they stand in.
        relevant_sources: the sentences of the answer that rest on this citation.
        speech: the transcript line, where words were spoken.
        scene_text: the text in the picture, where it was read.
    """

    collection_id: str
    file_id: str
    segment_id: str
    start_time: str
    end_time: str
    text: str
    context: str
    relevant_sources: tuple[SourceText, ...] = ()
    visual_scene_description: tuple[SceneText, ...] = ()
    scene_text: tuple[SceneText, ...] = ()
    speech: tuple[SpeechLine, ...] = ()
    audio_description: tuple[SceneText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """An answer with its citations."""

    index: int
    message: Message
    citations: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens the language model read and wrote, counted by the model itself."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    total_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        """The sum of both."""
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            total_tokens=self.total_tokens + other.total_tokens,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPayload:
    """The request as it was received."""

    messages: tuple[Message, ...]
    collections: tuple[str, ...]
    temperature: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatCompletion:
    """The contract's chat completion, with the claims behind its text.

    Attributes:
        answered: False where the answer is not in these videos.
        claims: the sentences of the answer with their verdicts.
        provenance: models with checksums, prompt hash and library versions.
    """

    id: str
    created_at: int
    model: str
    choices: tuple[Choice, ...]
    payload: ChatPayload
    usage: Usage
    object: Literal["chat.completion"] = "chat.completion"
    answered: bool = True
    claims: tuple[Claim, ...] = ()
    provenance: dict[str, Any] = field(default_factory=dict)
