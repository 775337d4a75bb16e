"""Where words begin and end, in every script, as parts of patterns. Pure.

``\\b`` and ``\\w`` take a whole sentence for one word where no spaces are written between words,
and leave out the vowel signs of other scripts: "दाम" would end within "दामाद".
"""

from __future__ import annotations

import re

from pipelines.texts.utterance import WRITTEN_WITHOUT_SPACES

_SIGNS = (
    "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670"
    "\u0900-\u0963\u0966-\u0dff\u0e31-\u0e3a\u0e47-\u0e4e\u0eb1-\u0ebc\u0ec8-\u0ece"
    "\u102b-\u103e\u1056-\u109d\u17b4-\u17d3"
)
"""Marks that belong to the letter before them: accents, vowels and tones. The ranges of Indic
scripts hold their letters, too."""
_HANGUL = "[\u1100-\u11ff\u3130-\u318f\uac00-\ud7af]"

LETTER = rf"[\w{_SIGNS}]"
"""A pattern, like the following ones: one character of a word."""
NO_LETTER = rf"[^\w{_SIGNS}]"
FLUSH = f"(?:{WRITTEN_WITHOUT_SPACES}|{_HANGUL})"
"""One character of a script that puts other words right behind a word. In Korean these are
particles."""

_BEGINS_ANYWHERE = re.compile(WRITTEN_WITHOUT_SPACES)
_ENDS_ANYWHERE = re.compile(f"{FLUSH}$")


def before(word: str) -> str:
    """A pattern for what stands before ``word`` where it is a whole one."""
    is_free = _BEGINS_ANYWHERE.match(word) is not None
    return "" if is_free else f"(?<!(?!{WRITTEN_WITHOUT_SPACES}){LETTER})"


def after(word: str) -> str:
    """A pattern for what follows ``word`` where it is a whole one."""
    is_free = _ENDS_ANYWHERE.search(word) is not None
    return "" if is_free else f"(?!(?!{FLUSH}){LETTER})"


def has_short_words(text: str) -> bool:
    """Whether it has a character of a script whose words often have two characters."""
    return re.search(FLUSH, text) is not None
