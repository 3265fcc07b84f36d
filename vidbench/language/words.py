"""The words of a text as far as they carry meaning: stems, numbers and names."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

_APOSTROPHE = "\u2019"
_WORD = re.compile(rf"[^\W_]+(?:['{_APOSTROPHE}][^\W_]+)*")
_LEFT = 2
"""How many letters of a word stay at least when an ending is taken off."""
ALIKE = 0.8
"""Names this similar are the same name heard differently (share of equal letters, Ratcliff/Obershelp)."""

_ENGLISH = """
a about above after again all also am an and any anybody anyone anything are aren't as at be
because been before being below between both but by can can't cannot could couldn't did didn't
do does doesn't doing don't down during each even ever every few for from further get gets give
given gives go goes got had has have haven't having he her here hers him his how i if in into is
isn't it it's its just let like made make makes many may me might more most much must my no nor
not now of off on once one only or other our out over own quite rather really same say says
shall she should so some such take takes than that that's the their them then there there's
these they they're this those through thus to too under until up upon us very was wasn't we
we'll were what when where whether which while who whom whose why will with would you you'll
you're your yours
"""
FUNCTION_WORDS = frozenset(_ENGLISH.split())
"""English words that carry no content of their own. In other languages all words count, which asks for more support."""


def words(text: str) -> list[str]:
    """The words of *text* as they stand.

    Example:
        >>> words("It's free, since 2002!")
        ["It's", 'free', 'since', '2002']
    """
    return _WORD.findall(text)


def stem(word: str) -> str:
    """*word* in lower case without plural, past and progressive endings (the S-stemmer of Harman 1991, and -ed, -ing).

    Light on purpose: what it cuts is cut alike from every form, and words of different meaning rarely meet.

    Example:
        >>> stem("shared"), stem("sharing"), stem("shares"), stem("stories"), stem("story")
        ('shar', 'shar', 'shar', 'story', 'story')
    """
    plain = _plain(word).removesuffix("'s")
    if plain.endswith(("ies", "ied")) and len(plain) > _LEFT + 2:
        return plain[:-3] + "y"
    if plain.endswith("s") and not plain.endswith(("ss", "us")):
        plain = _without(plain, "s")
    for ending in ("ing", "ed", "e"):
        if plain.endswith(ending):
            return _without(plain, ending)
    return plain


def _plain(word: str) -> str:
    return word.lower().replace(_APOSTROPHE, "'")


def _without(word: str, ending: str) -> str:
    return word.removesuffix(ending) if len(word) - len(ending) >= _LEFT else word


def content(text: str) -> list[str]:
    """Stems of the words of *text* that carry content, each once, in order.

    Example:
        >>> content("You don't give up your copyright.")
        ['copyright']
    """
    meant = [word for word in words(text) if _plain(word) not in FUNCTION_WORDS]
    return list(dict.fromkeys(stem(word) for word in meant))


def numbers(text: str) -> set[str]:
    """The numbers in *text* that are written in digits.

    Example:
        >>> sorted(numbers("In 2002, 3 people"))
        ['2002', '3']
    """
    return set(re.findall(r"\d+", text))


def names(text: str) -> list[str]:
    """Words written with a capital inside a sentence, which in English are names.

    Example:
        >>> names("What did Ada Lovelace say? Nothing.")
        ['Ada', 'Lovelace']
    """
    found = re.finditer(r"(?<![.!?:\"“])(?<=\s)[A-Z][^\W\d_]+", text)
    return [match[0] for match in found if not _opens_sentence(text, match.start())]


def knows(name: str, text: str) -> bool:
    """Whether *text* has *name*, or a word that a listener could have written for it.

    Example:
        >>> knows("Lessig", "then Lessigs spoke"), knows("Mars", "the commons")
        (True, False)
    """
    wanted = name.lower()
    return any(
        word.lower() == wanted or SequenceMatcher(None, wanted, word.lower()).ratio() >= ALIKE for word in words(text)
    )


def _opens_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip()
    return not before or before[-1] in ".!?:"


def sentences(text: str) -> list[str]:
    """The sentences of *text*.

    Example:
        >>> sentences("It's easy. It only takes 2.5 minutes!")
        ["It's easy.", 'It only takes 2.5 minutes!']
    """
    return [part for part in re.split(r"(?<=[.!?])\s+", " ".join(text.split())) if part]


def tidy(text: str) -> str:
    """*text* without a sentence that was cut off at its end; a lone cut-off sentence ends in an ellipsis.

    Example:
        >>> tidy("It is free. It only tak"), tidy("It only tak")
        ('It is free.', 'It only…')
    """
    parts = sentences(text)
    if not parts or parts[-1][-1] in ".!?…\"'”":
        return " ".join(parts)
    if len(parts) > 1:
        return " ".join(parts[:-1])
    return parts[0].rpartition(" ")[0].rstrip(",;:") + "…" if " " in parts[0] else parts[0]
