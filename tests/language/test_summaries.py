"""Summaries stand on their lines."""

from __future__ import annotations

import json

import pytest

from vidbench.language.evidence import Evidence, Passage
from vidbench.language.extracts import central, headline
from vidbench.language.outline import FULL, GROUP, Node, Outline
from vidbench.language.summaries import (
    parts_schema,
    summarise_segment,
    summarise_whole,
    without_model,
)

TEXTS = (
    "Copyright protects your work.",
    "That's true.",
    "Sometimes full copyright is too restrictive.",
    "We provide free licenses for your work.",
    "It only takes a minute.",
)
LINES = [Passage(passage_id=f"p{index}", text=text, start_time=float(index)) for index, text in enumerate(TEXTS)]


def test_each_sentence_gets_its_evidence(scripted, calm, finish):
    """Code finds the lines that carry a sentence; the title is kept when its words were said."""
    model = scripted(
        {
            "summary": "Full copyright is too restrictive. The licenses are free.",
            "title": "Free Licenses",
        }
    )

    _, written = finish(summarise_segment(model, LINES, calm))

    assert written.title == "Free Licenses"
    assert [claim.evidence for claim in written.claims] == [("p2",), ("p3",)]
    assert written.quality == "model"
    assert written.usage.total_tokens == 15


def test_invented_sentences_are_dropped(scripted, calm, finish):
    """What no line carries does not get into the summary."""
    model = scripted(
        {
            "summary": "Copyright protects your work. It began in 1710 in England.",
            "title": "Copyright",
        }
    )

    _, written = finish(summarise_segment(model, LINES, calm))

    assert written.summary == "Copyright protects your work."


def test_without_a_standing_sentence_lines_are_quoted(scripted, calm, finish):
    """An invention is replaced by the most telling lines, and said to be."""
    model = scripted({"summary": "Bananas grow in Panama.", "title": "Bananas"})

    _, written = finish(summarise_segment(model, LINES, calm))

    assert written.quality == "extractive"
    assert {claim.text for claim in written.claims} <= set(TEXTS)
    assert len(written.claims) == 2
    assert written.title == headline(written.claims[0].text)


def test_an_unusable_model_does_not_stop_the_work(scripted, calm, finish):
    """Twice broken JSON ends in quoted lines."""
    _, written = finish(summarise_segment(scripted("oops", "oops again"), LINES, calm))

    assert written.quality == "extractive"
    assert all(claim.supported for claim in written.claims)


def test_a_silent_part_says_so_without_a_model(scripted, calm, finish):
    """Nothing is invented about nothing."""
    _, written = finish(summarise_segment(scripted(), [], calm))

    assert (written.title, written.quality, written.claims) == ("No speech", "empty", ())


def test_a_few_words_in_the_picture_are_reported_as_they_stand():
    """A sign is not summed up, and the same sign is named once."""
    sign = Passage(passage_id="s", text="EXIT", kind="scene_text")

    written = without_model([sign, sign])

    assert written.title == "On screen: EXIT"
    assert written.claims[0].evidence == ("s", "s")
    assert without_model([sign, LINES[0]]) is None


def test_a_whole_is_asked_for_part_by_part(scripted, calm, finish):
    """Each part offers its own lines; a part without a standing sentence is quoted; all come in order of time."""
    model = scripted(
        {
            "first": {"evidence": "L1", "text": "It only takes a minute."},
            "second": {"evidence": "L3", "text": "Full copyright is too restrictive."},
            "third": {"evidence": "L5", "text": "It only takes a minute"},
            "title": "Free Work",
        }
    )

    _, written = finish(summarise_whole(model, LINES, calm))

    assert [claim.evidence for claim in written.claims] == [("p0",), ("p2",), ("p4",)]
    assert written.claims[0].text == TEXTS[0]
    assert written.quality == "mixed"
    assert list(model.requests[0].schema["properties"]) == ["first", "second", "third", "title"]


@pytest.mark.parametrize(("number", "parts"), [(1, 1), (2, 1), (3, 2), (7, 4), (500, 4)])
def test_parts_share_out_every_line(number, parts):
    """Every line may be cited by exactly one part."""
    ids = Evidence(tuple(LINES[:1]) * number).ids

    schema = parts_schema(ids)

    offered = [part["properties"]["evidence"]["enum"] for part in schema["properties"].values() if "properties" in part]
    assert len(offered) == parts
    assert [line for part in offered for line in part] == ids


def test_the_most_telling_lines_keep_their_order():
    """Lines whose words recur are chosen, not merely the first ones."""
    assert [line.passage_id for line in central(LINES, 2)] == ["p0", "p2"]
    assert central([], 2) == ()


def test_a_headline_is_short():
    """Eight words, and an ellipsis where more follow."""
    assert headline("One two three four five six seven eight nine.").endswith("eight…")
    assert headline("Short.") == "Short"


def node(number):
    text = f"Part{number}: Topic{number} is told."
    return Node(text=text, start_time=number * 10.0, end_time=number * 10.0 + 10.0, leaves=(f"row{number}",))


def merged(first):
    return {
        "first": {"evidence": "L1", "text": f"Topic{first} is told."},
        "second": {"evidence": "L3", "text": f"Topic{first + 2} is told."},
        "title": f"Topic{first}",
    }


def test_hours_are_merged_level_by_level(scripted, calm, finish):
    """What waits stays bounded, survives a checkpoint, and every sentence still knows its segments."""
    model = scripted(*[merged(number) for number in range(0, 400, GROUP)])
    outline = Outline()

    for number in range(120):
        outline.add(node(number))
        finish(outline.thin(model, calm))
        outline = Outline(json.loads(json.dumps(outline.as_json())))
        assert all(len(level) < FULL for level in outline.levels)

    times = [one.start_time for one in outline.nodes]
    assert times == sorted(times)
    assert outline.nodes[0].leaves == ("row0", "row2", "row4", "row6")
    assert outline.nodes[-1].end_time == 1200.0
    assert len(outline.nodes) < 2 * FULL


def test_the_end_is_thinned_to_its_budget(scripted, calm, finish):
    """Whatever waits is brought under the tokens allowed, and the last summary cites segments."""
    outline = Outline()
    for number in range(12):
        outline.add(node(number))

    _, written = finish(outline.finish(scripted(merged(0), merged(0)), calm, tokens=60))

    assert written.claims[0].evidence == ("row0", "row2", "row4", "row6")
    assert outline.usage.total_tokens == 15
