"""Search by words and meaning, fused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vidbench.retrieval.fusion import K, fused
from vidbench.retrieval.index import Index
from vidbench.retrieval.search import search
from vidbench.retrieval.vectors import Closeness, Matrix

TEXTS = ["the licence", "some music", "a tree"]
VECTORS = [[1.0, 0.0], [0.0, 2.0], [0.7, 0.7]]


def found(index: Index, *question: object) -> list[str]:
    """Texts of the hits."""
    return [hit.text for hit in search(index, *question)]


def test_without_vectors_words_decide(index: Index, learn):
    """A question without an embedding is answered by words alone."""
    learn("a", "r1", TEXTS)
    (hit,) = search(index, "Which licence?", None, None, 10)

    assert (hit.passage_id, hit.row_id, hit.file_id, hit.run_id) == ("r1-0", "row-0", "a", "r1")
    assert (hit.text, hit.start_time, hit.end_time, hit.kind) == ("the licence", 0.0, 1.0, "speech")
    assert (hit.lexical_rank, hit.cosine) == (1, 0.0)


def test_without_shared_words_meaning_decides(index: Index, learn):
    """Passages are ranked by cosine, whatever the length of a vector."""
    learn("a", "r1", TEXTS, VECTORS)
    hits = search(index, "xyzzy", [0.0, 1.0], None, 10)

    assert [hit.text for hit in hits] == ["some music", "a tree", "the licence"]
    assert hits[0].cosine == pytest.approx(1.0)
    assert hits[1].cosine == pytest.approx(2**-0.5)
    assert hits[0].lexical_rank == 0


def test_what_both_find_comes_first(index: Index, learn):
    """A passage with the word and the meaning outranks those with one of them."""
    learn("a", "r1", TEXTS, VECTORS)

    assert found(index, "music", np.array([0.1, 1.0]), None, 1) == ["some music"]
    assert found(index, "tree music", [1.0, 1.0], None, 1) == ["a tree"]


def test_only_the_files_asked_for_are_searched(index: Index, learn):
    """Neither words nor meaning reach into other files."""
    learn("a", "r1", ["apple"], [[1.0, 0.0]])
    learn("b", "r2", ["apple"], [[1.0, 0.0]])

    assert [hit.file_id for hit in search(index, "apple", [1.0, 0.0], ["b"], 10)] == ["b"]
    assert search(index, "apple", [1.0, 0.0], [], 10) == []


def test_vectors_of_another_model_are_left_out(index: Index, learn):
    """Passages whose vectors have another length are found by words, and disturb no cosine."""
    learn("a", "r1", ["apple"], [[1.0, 0.0]])
    learn("b", "r2", ["apple"], [[1.0, 0.0, 0.0]])
    hits = {hit.file_id: hit for hit in search(index, "apple", [1.0, 0.0], None, 10)}

    assert (hits["a"].cosine, hits["b"].cosine) == (pytest.approx(1.0), 0.0)
    assert hits["b"].lexical_rank > 0


def test_the_limit_is_kept(index: Index, learn):
    """No more hits than asked for, also beyond the depth of fusion."""
    learn("a", "r1", ["apple"] * 300, [[1.0, float(n)] for n in range(300)])

    assert len(search(index, "apple", [1.0, 0.0], None, 7)) == 7
    assert len(search(index, "apple", [1.0, 0.0], None, 250)) == 250


def test_a_search_always_answers_alike(index: Index, learn):
    """Equal passages keep the order in which they were learned."""
    learn("a", "r1", ["apple"] * 5, [[1.0, 0.0]] * 5)

    assert [hit.passage_id for hit in search(index, "apple", [1.0, 0.0], None, 5)] == [f"r1-{n}" for n in range(5)]


@pytest.mark.parametrize("question", ["", "?!", "   "])
def test_a_question_without_words_finds_nothing_by_words(index: Index, learn, question: str):
    """An empty question is no error."""
    learn("a", "r1", TEXTS)

    assert search(index, question, None, None, 10) == []


def test_an_empty_index_finds_nothing(index: Index):
    """Searching before anything was learned is no error."""
    assert search(index, "apple", [1.0, 0.0], None, 10) == []


def test_vectors_of_zeros_are_far_from_everything():
    """A zero vector has cosine 0 with all, and no division fails."""
    rows = [
        ("p", "f", np.zeros(2, np.float32).tobytes()),
        ("q", "f", np.ones(2, np.float32).tobytes()),
    ]
    matrix = Matrix.of(rows, 2)

    assert Closeness(matrix, [1.0, 1.0]).of("p") == 0.0
    assert Closeness(matrix, [0.0, 0.0]).of("q") == 0.0


@given(st.lists(st.lists(st.sampled_from("abcdef"), unique=True), max_size=4))
def test_fusion_adds_the_reciprocal_ranks(rankings: list[list[str]]):
    """Each id's score is the sum of 1 / (60 + rank), and the order is by score."""
    scores = fused(rankings)

    assert list(scores.values()) == sorted(scores.values(), reverse=True)
    for one, score in scores.items():
        expected = sum(1 / (K + ranking.index(one) + 1) for ranking in rankings if one in ranking)
        assert score == pytest.approx(expected)
