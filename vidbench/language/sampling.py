"""Choosing the next token: the likeliest one that the grammar allows."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from vidbench.errors import VidbenchError

CANDIDATES = 40
"""How many of the likeliest tokens are offered to the grammar before all of them are (llama.cpp's top-k)."""
NUCLEUS = 0.95
"""Above temperature 0, the share of the probability that may be drawn from (llama.cpp's top-p)."""
_ENTRY = np.dtype([("id", np.int32), ("logit", np.float32), ("p", np.float32)])


class Sampler:
    """Draws tokens under a grammar.

    Testing every token of the vocabulary against the grammar halves the speed of a small model (24 against
    46 tokens a second, measured). Nearly always the likeliest token is allowed, so it is tried alone, then
    with the 40 likeliest, and only then with all: at temperature 0 the choice is the same.

    Args:
        llama: the loaded model.
        grammar: GBNF text.
        temperature: 0 takes the likeliest allowed token.
        seed: of the draws above temperature 0.
    """

    def __init__(self, llama: Any, *, grammar: str, temperature: float, seed: int) -> None:
        import llama_cpp

        self._library = llama_cpp
        self._context = llama.ctx
        self._size: int = llama.n_vocab()
        self._vocabulary = llama._model.vocab  # noqa: SLF001 - the binding offers no public way
        self._temperature = temperature
        self._random = np.random.default_rng(seed)
        text = grammar.encode()
        self._grammar = llama_cpp.llama_sampler_init_grammar(self._vocabulary, text, b"root")
        if not self._grammar:
            raise VidbenchError("llama.cpp does not accept the grammar made from the schema")

    def draw(self) -> int | None:
        """The next token, or None where the text ends."""
        entries = self._allowed()
        token = int(entries["id"][0] if self._temperature == 0 else self._choose(entries))
        if self._library.llama_vocab_is_eog(self._vocabulary, token):
            return None
        self._library.llama_sampler_accept(self._grammar, token)
        return token

    def close(self) -> None:
        """Free the grammar."""
        self._library.llama_sampler_free(self._grammar)

    def _allowed(self) -> np.ndarray:
        """Allowed tokens, likeliest first."""
        logits = self._logits()
        tries = (CANDIDATES, self._size) if self._temperature else (1, CANDIDATES, self._size)
        for size in tries:
            entries = self._ask(_likeliest(logits, size))
            allowed = entries[np.isfinite(entries["logit"])]
            if len(allowed):
                best_first: np.ndarray = allowed[np.argsort(-allowed["logit"], kind="stable")]
                return best_first
        raise VidbenchError("The grammar allows no token here")

    def _ask(self, entries: np.ndarray) -> np.ndarray:
        library = self._library
        array = library.llama_token_data_array(
            data=entries.ctypes.data_as(ctypes.POINTER(library.llama_token_data)),
            size=len(entries),
            selected=-1,
            sorted=False,
        )
        library.llama_sampler_apply(self._grammar, ctypes.byref(array))
        return entries

    def _logits(self) -> np.ndarray:
        pointer = self._library.llama_get_logits_ith(self._context, -1)
        return np.asarray(np.ctypeslib.as_array(pointer, shape=(self._size,)))

    def _choose(self, entries: np.ndarray) -> int:
        scaled = entries["logit"].astype(np.float64) / self._temperature
        weights = np.exp(scaled - scaled.max())
        weights /= weights.sum()
        kept = int(np.searchsorted(np.cumsum(weights), NUCLEUS)) + 1
        weights = weights[:kept] / weights[:kept].sum()
        return int(self._random.choice(entries["id"][:kept], p=weights))


def _likeliest(logits: np.ndarray, size: int) -> np.ndarray:
    """The *size* likeliest tokens as llama.cpp's own records, in no order."""
    if size == 1:
        chosen = np.array([np.argmax(logits)])
    elif size < len(logits):
        chosen = np.argpartition(-logits, size)[:size]
    else:
        chosen = np.arange(len(logits))
    entries = np.zeros(len(chosen), dtype=_ENTRY)
    entries["id"] = chosen
    entries["logit"] = logits[chosen]
    return entries
