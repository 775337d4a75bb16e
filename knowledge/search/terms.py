"""The words by which a text is found. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Python's \w leaves out the vowel signs of Indic scripts.
_WORD = re.compile(r"[\w\u0300-\u036f\u0900-\u0dff]+")
_STEM_CHARACTERS = 5
_LONGEST_TERM = 40
_STEM_MARK = "~"


def terms(text: str) -> Iterator[str]:
    """By which each of its words is found."""
    for word in words(text):
        yield from terms_of(word)


def words(text: str) -> list[str]:
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def terms_of(word: str) -> tuple[str, ...]:
    """The word, and the beginning of a longer one: "booking" finds "booked", "Zimmerpreis"
    finds "Zimmer" and "कमरे" finds "कमरा" without rules for any language."""
    kept = word[:_LONGEST_TERM]
    stem = word[: _STEM_CHARACTERS if word.isascii() else _STEM_CHARACTERS - 1]
    if len(stem) > 2 and not word.isdecimal():
        return kept, _STEM_MARK + stem
    return (kept,)
