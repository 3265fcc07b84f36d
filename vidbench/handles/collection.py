"""Collections, conversations with them, and answers with their evidence."""

from __future__ import annotations

from collections.abc import Iterator

from vidbench.contract.chat import ChatCompletion, Citation, Claim, Message, Usage
from vidbench.contract.jobs import JobRecord
from vidbench.contract.validation import to_json
from vidbench.handles.file import File, Files
from vidbench.handles.job import Job
from vidbench.handles.table import Bench, Table


class Answer:
    """An answer with the evidence it rests on.

    Args:
        completion: the contract's object.
        filenames: file id -> name, for the files it cites.
    """

    def __init__(self, completion: ChatCompletion, filenames: dict[str, str]) -> None:
        self.completion = completion
        self.filenames = filenames

    @property
    def text(self) -> str:
        """The answer, or that it is not in these videos."""
        return self.completion.choices[0].message.content

    @property
    def answered(self) -> bool:
        """False where the answer is not in these videos."""
        return self.completion.answered

    @property
    def citations(self) -> Table[Citation]:
        """The words that bear the answer, with file and times."""
        return Table(self.completion.choices[0].citations)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The sentences with their verdicts."""
        return self.completion.claims

    @property
    def usage(self) -> Usage:
        """Tokens read and written."""
        return self.completion.usage

    def __repr__(self) -> str:
        from vidbench.display import chat_text

        return chat_text(self.completion, self.filenames)

    def _repr_html_(self) -> str:
        from vidbench.display import chat_html

        return chat_html(self.completion, self.filenames)


class AnswerJob(Job[Answer]):
    """A question that was asked."""

    def stream(self) -> Iterator[str]:
        """The answer's text as it is written; joined, the pieces are the answer.

        Raises:
            JobFailed: no answer could be given.
        """
        told = False
        for event in self.events():
            if event.kind == "token":
                told = True
                yield event.text
        answer = self.result()
        if not told:  # it was answered before anybody listened
            yield answer.text


class Collection:
    """A named set of files."""

    def __init__(self, bench: Bench, name: str) -> None:
        self._bench = bench
        self.record = bench.engine.get_collection(name=name)

    @property
    def id(self) -> str:
        """The collection's UUID."""
        return self.record.id

    @property
    def name(self) -> str:
        """The collection's name."""
        return self.record.name

    def add(self, *files: File | Files) -> Collection:
        """Put files in; those that are in stay in."""
        ids = tuple(file.id for one in files for file in (one if isinstance(one, Files) else (one,)))
        self.record = self._bench.engine.add_to_collection(collection_id=self.id, file_ids=ids)
        return self

    def ask(self, question: str, *, temperature: float = 0.0) -> AnswerJob:
        """One question, without a conversation around it."""
        return self.chat().ask(question, temperature=temperature)

    def chat(self) -> Chat:
        """A new conversation."""
        return Chat(self._bench, self.id)

    def __repr__(self) -> str:
        record = self.record
        return f"Collection({record.name!r}, {record.collection_type}, {record.file_count} files)"


class Chat:
    """A conversation with a collection; every question sees the turns before it."""

    def __init__(self, bench: Bench, collection_id: str) -> None:
        self._bench = bench
        self._collection_id = collection_id
        self.messages: list[Message] = []

    def ask(self, question: str, *, temperature: float = 0.0) -> AnswerJob:
        """Ask the next question."""
        turn = Message(role="user", content=question)
        config = {
            "messages": [to_json(one) for one in [*self.messages, turn]],
            "temperature": temperature,
        }
        record = self._bench.engine.submit(operation="chat", subject_id=self._collection_id, config=config)
        return AnswerJob(self._bench, record, lambda done: self._remember(turn, done))

    def job_of(self, record: JobRecord) -> AnswerJob:
        """The handle of a question that was asked before."""
        return AnswerJob(self._bench, record, self._answer)

    def _remember(self, turn: Message, record: JobRecord) -> Answer:
        answer = self._answer(record)
        if turn not in self.messages:
            self.messages += [turn, answer.completion.choices[0].message]
        return answer

    def _answer(self, record: JobRecord) -> Answer:
        engine = self._bench.engine
        completion = engine.get_chat(chat_id=record.result_id)
        cited = {citation.file_id for choice in completion.choices for citation in choice.citations}
        return Answer(completion, {one: engine.get_file(name=one).filename for one in cited})
