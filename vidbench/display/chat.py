"""An answer, with the words it rests on: when they come, in which file, and where they stand."""

from __future__ import annotations

from collections.abc import Mapping

from vidbench.contract.chat import ChatCompletion, Citation
from vidbench.display.markup import Html, badge, element, note, page
from vidbench.display.wording import count_text, lines_of, one_line, span_text, wrapped


def chat_html(completion: ChatCompletion, filenames: Mapping[str, str] | None = None) -> str:
    """The question, the answer and its citations.

    Args:
        completion: the answer.
        filenames: file id -> name; an id stands for itself where it is not there.
    """
    choice, names = completion.choices[0], filenames or {}
    citations = [_citation(citation, names) for citation in choice.citations]
    return page(
        "Answer",
        element("p", completion.payload.messages[-1].content, class_="vb-faint"),
        element("p", choice.message.content, class_="vb-answer"),
        None if completion.answered else badge("not in these videos"),
        *(note(text) for text in _doubts(completion)),
        element("ol", *citations, class_="vb-citations") if citations else None,
        element("p", _usage(completion), class_="vb-faint"),
    )


def chat_text(completion: ChatCompletion, filenames: Mapping[str, str] | None = None) -> str:
    """The answer and its citations as plain text."""
    choice, names = completion.choices[0], filenames or {}
    return lines_of(
        [wrapped(line) for line in choice.message.content.splitlines()],
        [f"warning: {one_line(text)}" for text in _doubts(completion)],
        [
            wrapped(
                f"[{number}] {_span(citation)} {_file(citation, names)}: “{citation.text}”",
                indent=2,
            )
            for number, citation in enumerate(choice.citations, start=1)
        ],
    )


def _citation(citation: Citation, names: Mapping[str, str]) -> Html:
    head = element(
        "div",
        element("span", _span(citation), class_="vb-time"),
        " ",
        _file(citation, names),
        " ",
        badge("scene text" if citation.scene_text else "speech"),
    )
    return element("li", head, element("blockquote", *_quoted(citation)))


def _quoted(citation: Citation) -> tuple[str, ...]:
    """The line with the cited words marked; the words alone where the line does not hold them."""
    before, found, after = citation.context.partition(citation.text) if citation.text else ("", "", "")
    return (before, element("mark", found), after) if found else (element("mark", citation.text),)


def _doubts(completion: ChatCompletion) -> list[str]:
    """The sentences that their evidence does not bear."""
    return [f"Not borne out by what it cites: {claim.text}" for claim in completion.claims if not claim.supported]


def _span(citation: Citation) -> str:
    return span_text(float(citation.start_time), float(citation.end_time))


def _file(citation: Citation, names: Mapping[str, str]) -> str:
    return names.get(citation.file_id, citation.file_id)


def _usage(completion: ChatCompletion) -> str:
    used = completion.usage
    read = count_text(used.prompt_tokens, "token")
    return f"{completion.model} read {read} and wrote {used.completion_tokens}"
