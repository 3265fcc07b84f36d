"""Vectors of texts."""

from __future__ import annotations

import numpy as np
import pytest

from vidbench.contract.models import ModelSpec
from vidbench.errors import MissingModel
from vidbench.language.embedding import OnnxEmbedding, mean_pooled


def spec(path):
    return ModelSpec(name="minilm", role="embedding", engine="onnx", path=str(path), checksum="")


def test_padding_does_not_count():
    """The mean is taken over real tokens, and has length one."""
    hidden = np.array([[[3.0, 0.0], [0.0, 4.0], [99.0, 99.0]]])

    pooled = mean_pooled(hidden, np.array([[1, 1, 0]]))

    np.testing.assert_allclose(pooled, [[0.6, 0.8]], rtol=1e-6)
    assert pooled.dtype == np.float32


def test_a_text_without_tokens_gives_zeros():
    """Nothing is divided by nothing."""
    assert mean_pooled(np.zeros((1, 2, 3)), np.zeros((1, 2))).tolist() == [[0.0, 0.0, 0.0]]


def test_a_missing_file_is_named(tmp_path):
    """The error says which file is missing and how to get it."""
    with pytest.raises(MissingModel, match=r"tokenizer\.json") as caught:
        OnnxEmbedding(spec(tmp_path), threads=1).embed(["a"])

    assert "vidbench models pull minilm" in caught.value.hint


@pytest.mark.model
def test_like_texts_have_like_vectors(models_dir):
    """Meaning, not spelling, decides; batches and lengths do not matter."""
    model = OnnxEmbedding(spec(models_dir / "minilm"), threads=1)
    texts = ["A dog runs.", "A puppy is running.", "Stocks fell sharply.", "word " * 900]

    vectors = model.embed(texts * 12)

    assert vectors.shape == (48, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-5)
    assert vectors[0] @ vectors[1] > 0.5 > vectors[0] @ vectors[2]
    np.testing.assert_allclose(vectors[0], model.embed(texts[:1])[0], atol=1e-5)
    assert model.embed([]).shape == (0, 384)
    model.close()
    assert model.embed(["again"]).shape == (1, 384)
