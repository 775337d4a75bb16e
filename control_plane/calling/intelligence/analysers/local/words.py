"""Splits texts into words that can be compared. Pure."""

from __future__ import annotations

import re

from pipelines.texts import word_borders

_LETTERS = rf"(?:(?!_){word_borders.LETTER})+"
_WORD = re.compile(rf"{_LETTERS}(?:['’]{_LETTERS})?")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_SUFFIXES = ("ing", "ed", "es", "s")


def words(text: str) -> list[str]:
    """The words in lower case. ``customerName`` and ``customer_name`` are two words each."""
    return [word.lower().replace("’", "'") for word in _WORD.findall(_CAMEL.sub(" ", text))]


def stem(word: str) -> str:
    """The word without its English ending, so that "greets" equals "greeting"."""
    for suffix in _SUFFIXES:
        if word.endswith(suffix) and len(word) - len(suffix) >= 4:
            return word.removesuffix(suffix)
    return word
