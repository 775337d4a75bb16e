"""The words by which a text is found. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_WITHOUT_SPACES = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff"
)
"""Letters of scripts that put no spaces between words."""
# Python's \w leaves out vowel signs.
_WORD = re.compile(rf"[\w\u0300-\u036f\u0900-\u0dff{_WITHOUT_SPACES}]+")
_RUN = re.compile(f"([{_WITHOUT_SPACES}]+)|[^{_WITHOUT_SPACES}]+")
_STEM_CHARACTERS = 5
_LONGEST_TERM = 40
_STEM_MARK = "~"


def terms(text: str) -> Iterator[str]:
    """By which each of its words is found."""
    for word in words(text):
        yield from terms_of(word)


def words(text: str) -> list[str]:
    """Where no spaces are written, each two characters that stand side by side are one: nobody has
    to know where a word ends there."""
    found: list[str] = []
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        if word.isascii():
            found.append(word)
        else:
            found += _parts(word)
    return found


def _parts(word: str) -> Iterator[str]:
    for run in _RUN.finditer(word):
        if run[1] is not None and len(run[1]) > 1:
            yield from map("".join, zip(run[1], run[1][1:], strict=False))
        else:
            yield run[0]


def terms_of(word: str) -> tuple[str, ...]:
    """The word, and the beginning of a longer one: "booking" finds "booked", "Zimmerpreis"
    finds "Zimmer" and "कमरे" finds "कमरा" without rules for any language."""
    kept = word[:_LONGEST_TERM]
    stem = word[: _STEM_CHARACTERS if word.isascii() else _STEM_CHARACTERS - 1]
    if len(stem) > 2 and not word.isdecimal():
        return kept, _STEM_MARK + stem
    return (kept,)
