"""Questions become safe FTS5 expressions, and find what shares their words."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vidbench.retrieval.index import Index
from vidbench.retrieval.lexical import MOST_WORDS, lexical, match_expression

HOSTILE = [
    '"',
    "NEAR(a b)",
    "a AND b OR NOT c",
    "text:a",
    "a*",
    "^a",
    "{a b}:c",
    "- + ( ) :",
    "___",
    "a\0b",
    "'; drop table words; --",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_question_is_read_as_syntax(index: Index, learn, text: str):
    """Operators, quotes and column filters are words or nothing."""
    learn("a", "r1", ["something else entirely"])

    assert lexical(index, text, None, 10) == []


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(text=st.one_of(st.text(), st.text(st.sampled_from("ab\"*():^-+{}.,;~_ ORANDTNE'\0"))))
def test_any_text_is_a_valid_expression(index: Index, text: str):
    """Whatever is asked, FTS5 takes the expression without an error."""
    lexical(index, text, None, 1)


@given(words=st.lists(st.sampled_from(["licence", "music", "apple"]), min_size=1))
def test_each_word_is_asked_for_once(words: list[str]):
    """Words come quoted, once each, in their order."""
    assert match_expression(" ".join(words)) == " OR ".join(f'"{one}"' for one in dict.fromkeys(words))


def test_words_that_say_nothing_are_left_out_unless_there_are_no_others():
    """`where is the licence` looks for the licence; `who are you` still looks for something."""
    assert match_expression("Where is the licence?") == '"licence"'
    assert match_expression("Who are you?") == '"who" OR "are" OR "you"'


def test_an_endless_question_is_cut(index: Index, learn):
    """Ten thousand words are no error; the first hundred are looked for."""
    learn("a", "r1", ["word5", "word5000"])
    text = " ".join(f"word{n}" for n in range(10_000))

    assert match_expression(text).count(" OR ") == MOST_WORDS - 1
    assert lexical(index, text, None, 10) == ["r1-0"]


@pytest.mark.parametrize(
    ("question", "passage"),
    [("licences", "a licence"), ("sharing", "we share it"), ("cafe", "the Café"), ("MUSIC", "music"),
     ("façade", "FACADE"), ("straße", "die Straße"), ("музыка", "Музыка"), ("don't", "I don't know")],
)  # fmt: skip
def test_forms_of_a_word_are_found(index: Index, learn, question: str, passage: str):
    """Plural and verb forms of English, accents and case make no difference."""
    learn("a", "r1", [passage, "nothing"])

    assert lexical(index, question, None, 10) == ["r1-0"]


def test_rare_words_count_more(index: Index, learn):
    """The passage with the rare word comes before passages with the common one (BM25)."""
    learn("a", "r1", ["music plays", "music again", "music ends", "the licence"])

    assert lexical(index, "music licence", None, 10)[0] == "r1-3"


def test_only_the_files_asked_for_are_searched(index: Index, learn):
    """A list of files limits, an empty one finds nothing, None means all; thousands of files are no problem."""
    learn("a", "r1", ["apple"])
    learn("b", "r2", ["apple"])

    assert lexical(index, "apple", ["b"], 10) == ["r2-0"]
    assert lexical(index, "apple", [], 10) == []
    assert lexical(index, "apple", None, 10) == ["r1-0", "r2-0"]
    assert lexical(index, "apple", ["a", *map(str, range(50_000))], 10) == ["r1-0"]
