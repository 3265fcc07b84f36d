"""Sentence vectors from an ONNX encoder, by the recipe of sentence-transformers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from vidbench.contract.models import ModelSpec
from vidbench.errors import MissingExtra, MissingModel

MAX_TOKENS = 256
"""Where a text is cut: what all-MiniLM-L6-v2 was trained for (its model card)."""
BATCH = 32


class OnnxEmbedding:
    """A sentence encoder: ``model.onnx`` and ``tokenizer.json`` in one folder.

    Token vectors are averaged under the attention mask and brought to length 1, which is how
    all-MiniLM-L6-v2 and its kin are meant to be used (https://www.sbert.net).

    Args:
        spec: its ``path`` is the folder.
        threads: cores to use.

    Example:
        >>> model = OnnxEmbedding(spec, threads=2)  # doctest: +SKIP
        >>> model.embed(["a dog", "a puppy"]).shape  # doctest: +SKIP
        (2, 384)
    """

    def __init__(self, spec: ModelSpec, threads: int) -> None:
        self.name = spec.name
        self._folder = Path(spec.path)
        self._threads = threads
        self._session: Any = None
        self._tokenizer: Any = None

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """One float32 row of length 1 a text; texts are cut after 256 tokens.

        Example:
            >>> vectors = model.embed(["a dog"])  # doctest: +SKIP
        """
        self._load()
        batches = [self._embed(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return np.concatenate(batches) if batches else np.zeros((0, self._width()), np.float32)

    def close(self) -> None:
        """Free the memory; the next call loads the model again."""
        self._session = None
        self._tokenizer = None

    def _load(self) -> None:
        if self._session is not None:
            return
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError as error:
            raise MissingExtra.of("onnxruntime or tokenizers", "embedding") from error
        self._tokenizer = Tokenizer.from_file(self._file("tokenizer.json"))
        self._tokenizer.enable_truncation(MAX_TOKENS)
        self._tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = self._threads
        options.inter_op_num_threads = 1
        self._session = onnxruntime.InferenceSession(
            self._file("model.onnx"), options, providers=["CPUExecutionProvider"]
        )

    def _embed(self, texts: Sequence[str]) -> np.ndarray:
        encoded = self._tokenizer.encode_batch(list(texts))
        mask = np.array([text.attention_mask for text in encoded], dtype=np.int64)
        known = {
            "input_ids": np.array([text.ids for text in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        wanted = {entry.name: known[entry.name] for entry in self._session.get_inputs()}
        hidden = self._session.run(None, wanted)[0]
        return mean_pooled(hidden, mask)

    def _width(self) -> int:
        return int(self._session.get_outputs()[0].shape[-1])

    def _file(self, name: str) -> str:
        path = self._folder / name
        if not path.is_file():
            hint = f"Run: vidbench models pull {self.name}"
            raise MissingModel(f"{self.name}: {name} is missing", hint=hint, file=str(path))
        return str(path)


def mean_pooled(hidden: np.ndarray, mask: np.ndarray) -> np.ndarray:
    """The mean of each text's token vectors, brought to length 1.

    Args:
        hidden: token vectors, shape (texts, tokens, dimensions).
        mask: 1 where there is a token, shape (texts, tokens).

    Example:
        >>> mean_pooled(np.array([[[3.0, 4.0], [9.0, 9.0]]]), np.array([[1, 0]])).tolist()
        [[0.6000000238418579, 0.800000011920929]]
    """
    weights = mask[:, :, None].astype(np.float32)
    sums = (hidden * weights).sum(axis=1)
    means = sums / np.maximum(weights.sum(axis=1), 1.0)
    lengths = np.maximum(np.linalg.norm(means, axis=1, keepdims=True), 1e-12)
    return np.asarray(means / lengths, dtype=np.float32)
