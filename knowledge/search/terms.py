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
    """Each word, and the beginning of each longer one: "booking" finds "booked", "Zimmerpreis"
    finds "Zimmer" and "कमरे" finds "कमरा" without rules for any language."""
    for word in _WORD.findall(unicodedata.normalize("NFKC", text).casefold()):
        yield word[:_LONGEST_TERM]
        stem = word[: _STEM_CHARACTERS if word.isascii() else _STEM_CHARACTERS - 1]
        if len(word) >= len(stem) > 2 and not word.isdecimal():
            yield _STEM_MARK + stem
