"""A GGUF model run by llama.cpp: JSON under a grammar, the same every time, stopped at any moment."""

from __future__ import annotations

import codecs
import json
from collections.abc import Generator, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from vidbench.contract.chat import Message, Usage
from vidbench.contract.models import ModelSpec
from vidbench.contract.work import Interrupt
from vidbench.errors import Interrupted, InvalidInput, MissingExtra, MissingModel, VidbenchError
from vidbench.language.protocols import Completion, Preempted
from vidbench.language.sampling import Sampler

DEFAULT_CONTEXT = 8192
"""Tokens, where the catalogue says nothing."""


class LlamaCpp:
    """A language model in a GGUF file.

    Args:
        spec: its ``path`` is a folder with one ``.gguf`` file (``model.gguf`` where there are more);
            its ``context`` is how many tokens are reserved; option ``gpu_layers`` is how many layers go
            to an accelerator (0 by default, -1 for all; stopping inside prompt evaluation needs 0).
        threads: cores to use, for prompt evaluation and for generation.

    Example:
        >>> model = LlamaCpp(spec, threads=2)  # doctest: +SKIP
        >>> "".join(model.complete(request, interrupt))  # doctest: +SKIP
        '{"title": "Creative Commons"}'
    """

    def __init__(self, spec: ModelSpec, threads: int) -> None:
        self.name = spec.name
        self.context = spec.context or DEFAULT_CONTEXT
        self._spec = spec
        self._threads = threads
        self._loaded: _Loaded | None = None

    def complete(self, request: Completion, interrupt: Interrupt) -> Generator[str, None, Usage]:
        """Write the answer piece by piece; see ``LanguageModel.complete``."""
        return (yield from self._model().complete(request, interrupt))

    def count(self, text: str) -> int:
        """How many tokens *text* has, special tokens not counted as such."""
        return len(self._model().tokens(text, special=False))

    def close(self) -> None:
        """Free the memory; the next call loads the model again."""
        if self._loaded:
            self._loaded.close()
        self._loaded = None

    def _model(self) -> _Loaded:
        if self._loaded is None:
            self._loaded = _Loaded(model_file(self._spec), self._spec, self.context, self._threads)
        return self._loaded


def model_file(spec: ModelSpec) -> Path:
    """The GGUF file of *spec*: ``model.gguf``, or the only one in its folder.

    Raises:
        MissingModel: there is none, or it cannot be told which.
    """
    folder = Path(spec.path)
    files = sorted(folder.glob("*.gguf"))
    named = [file for file in files if file.name == "model.gguf"]
    if len(named or files) != 1:
        found = ", ".join(file.name for file in files) or "none"
        msg = f"{spec.name}: expected model.gguf or a single .gguf file, found {found}"
        raise MissingModel(msg, hint=f"Run: vidbench models pull {spec.name}", file=str(folder))
    return (named or files)[0]


class _Loaded:
    """The model in memory, with what llama.cpp needs kept alive."""

    def __init__(self, file: Path, spec: ModelSpec, context: int, threads: int) -> None:
        try:
            import llama_cpp
        except ImportError as error:
            raise MissingExtra.of("llama-cpp-python", "language") from error
        self.library = llama_cpp
        self.context = context
        self.llama = _open(file, spec, context, threads)
        self.template = ChatTemplate(self.llama)
        self.interrupt: Interrupt | None = None
        self.call: object = None
        self.prefix: list[int] = []
        # llama.cpp keeps the pointer only: the callback object must live as long as the model.
        self.callback = llama_cpp.ggml_abort_callback(self._stop)
        llama_cpp.llama_set_abort_callback(self.llama.ctx, self.callback, None)

    def close(self) -> None:
        self.call = None  # a call that is waiting to go on must not touch the freed memory
        self.llama.close()

    def tokens(self, text: str, *, special: bool) -> list[int]:
        # No extra start token: the chat template writes it where the model wants one.
        found: list[int] = self.llama.tokenize(text.encode(), add_bos=False, special=special)
        return found

    def complete(self, request: Completion, interrupt: Interrupt) -> Generator[str, None, Usage]:
        prefix, tail = self._prompt(request.messages)
        read = len(prefix) + len(tail)
        if read + request.max_tokens > self.context:
            msg = f"A prompt of {read} and an answer of {request.max_tokens} tokens exceed {self.context}"
            raise InvalidInput(msg, hint="Give less evidence or a model with more context.")
        self.call = call = object()
        written = 0
        decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
        try:
            for token in self._generate(prefix, tail, request, interrupt):
                written += 1
                piece = decoder.decode(self.llama.detokenize([token]))
                if piece:
                    yield piece
                self._check(call, interrupt)
        except RuntimeError as error:  # "llama_decode returned 2" is how an abort looks from here
            self._forget()
            self._check(call, interrupt)
            raise VidbenchError(f"The language model failed: {error}") from error
        return Usage(prompt_tokens=read, completion_tokens=written, total_tokens=read + written)

    def _generate(self, prefix: list[int], tail: list[int], request: Completion, interrupt: Interrupt) -> Iterator[int]:
        self.interrupt = interrupt
        self._rewind(prefix)
        self.llama.eval(tail)
        grammar = grammar_of(json.dumps(request.schema))
        sampler = Sampler(self.llama, grammar=grammar, temperature=request.temperature, seed=request.seed)
        try:
            for _ in range(request.max_tokens):
                token = sampler.draw()
                if token is None:
                    return
                yield token
                self.llama.eval([token])
        finally:
            sampler.close()

    def _rewind(self, prefix: list[int]) -> None:
        """Bring the cache to exactly *prefix*, evaluated in a batch of its own.

        The rounding of llama.cpp depends on how a prompt is cut into batches. Reusing whatever happens
        to be cached would make an answer depend on the calls before it.
        """
        # Recurrent models cannot take back a part of what they have read: they start anew.
        kept = self.prefix == prefix and self.llama._ctx.kv_cache_seq_rm(-1, len(prefix), -1)  # noqa: SLF001
        if kept:
            self.llama.n_tokens = len(prefix)
            return
        self._forget()
        self.llama.eval(prefix)
        self.prefix = prefix

    def _forget(self) -> None:
        self.prefix = []
        self.llama.reset()

    def _prompt(self, messages: tuple[Message, ...]) -> tuple[list[int], list[int]]:
        head, tail = self.template.split(messages)
        return self.tokens(head, special=True), self.tokens(tail, special=True)

    def _stop(self, _data: object) -> bool:
        return self.interrupt is not None and (self.interrupt.cancelled or self.interrupt.preempted)

    def _check(self, call: object, interrupt: Interrupt) -> None:
        interrupt.check()
        if interrupt.cancelled:
            raise Interrupted("The work was cancelled")
        if interrupt.preempted or self.call is not call:
            raise Preempted("Another request goes first")


def _open(file: Path, spec: ModelSpec, context: int, threads: int) -> Any:
    import llama_cpp

    try:
        return llama_cpp.Llama(
            str(file),
            n_ctx=context,
            n_threads=threads,
            n_threads_batch=threads,
            n_gpu_layers=int(spec.options.get("gpu_layers", 0)),
            seed=0,
            verbose=False,
        )
    except (ValueError, RuntimeError, OSError) as error:
        hint = f"Run: vidbench models pull {spec.name}"
        raise MissingModel(f"{spec.name} cannot be loaded: {error}", hint=hint, file=str(file)) from error


class ChatTemplate:
    """The way a model wants its conversations written, read from its own file.

    Args:
        llama: the loaded model; where its file holds no template, ChatML is used, the commonest.
    """

    def __init__(self, llama: Any) -> None:
        from llama_cpp.llama_chat_format import CHATML_CHAT_TEMPLATE, Jinja2ChatFormatter

        self._formatter = Jinja2ChatFormatter(
            template=llama.metadata.get("tokenizer.chat_template", CHATML_CHAT_TEMPLATE),
            eos_token=_token_text(llama, llama.token_eos()),
            bos_token=_token_text(llama, llama.token_bos()),
        )

    def render(self, messages: tuple[Message, ...], *, answer: bool) -> str:
        """*messages* as text, and with *answer* the opening of the model's turn."""
        self._formatter.add_generation_prompt = answer
        turns = [{"role": turn.role, "content": turn.content} for turn in messages]
        text: str = self._formatter(messages=turns).prompt
        return text

    def split(self, messages: tuple[Message, ...]) -> tuple[str, str]:
        """The conversation as text: what the first message alone gives, and the rest.

        Some templates refuse a lone first message, or merge it into the second: then the first part is empty.
        """
        from jinja2.exceptions import TemplateError

        whole = self.render(messages, answer=True)
        try:
            head = self.render(messages[:1], answer=False)
        except (TemplateError, ValueError):
            head = ""
        head = head if whole.startswith(head) else ""
        return head, whole.removeprefix(head)


def _token_text(llama: Any, token: int) -> str:
    text: str = llama.detokenize([token], special=True).decode(errors="replace") if token >= 0 else ""
    return text


@lru_cache(maxsize=64)
def grammar_of(schema: str) -> str:
    """The GBNF grammar of a JSON Schema, made once a schema."""
    from llama_cpp.llama_grammar import json_schema_to_gbnf

    grammar: str = json_schema_to_gbnf(schema)
    return grammar
