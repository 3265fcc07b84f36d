"""A language model that says what a test tells it to."""

from __future__ import annotations

import json

import pytest

from vidbench.contract.chat import Usage
from vidbench.errors import Interrupted
from vidbench.language.protocols import Preempted


class Calm:
    """An interrupt that a test can set."""

    def __init__(self):
        self.cancelled = False
        self.preempted = False

    def check(self):
        if self.cancelled:
            raise Interrupted("cancelled")


class Scripted:
    """Answers one call after the other from a list; an entry ``Preempted`` breaks off after a few letters."""

    name = "scripted"
    context = 8192

    def __init__(self, *answers, piece=7):
        self.answers = list(answers)
        self.requests = []
        self.piece = piece

    def count(self, text):
        return len(text) // 4 + 1

    def complete(self, request, interrupt):
        self.requests.append(request)
        interrupt.check()
        told = self.answers.pop(0)
        if told is Preempted:
            yield '{"answerable"'
            raise Preempted("another goes first")
        text = told if isinstance(told, str) else json.dumps(told)
        for start in range(0, len(text), self.piece):
            yield text[start : start + self.piece]
        return Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)

    def close(self):
        pass


@pytest.fixture
def calm():
    return Calm()


@pytest.fixture
def scripted():
    return Scripted


@pytest.fixture
def finish():
    """Runs a generator to its end: what it yielded, and what it returned."""

    def run(generator):
        pieces = []
        while True:
            try:
                pieces.append(next(generator))
            except StopIteration as end:
                return pieces, end.value

    return run
