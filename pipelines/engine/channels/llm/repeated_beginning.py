"""Cuts what a model repeats of an answer that it was asked to continue. Pure."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from pipelines.texts.utterance import WRITTEN_WITHOUT_SPACES

_WORD = re.compile(rf"{WRITTEN_WITHOUT_SPACES}|(?:(?!{WRITTEN_WITHOUT_SPACES})\S)+")
_UNSPACED = re.compile(WRITTEN_WITHOUT_SPACES)
_LEAST_LETTERS = 2


class RepeatedBeginning:
    """Compares the beginning of a continuation with the end of what was given: word by word,
    without regard to case and punctuation.

    Digits and single letters alone are no repetition: they may be a number or a name that is being
    spelled.
    """

    def __init__(self, given: str) -> None:
        """Args:
        given: ends with a whole word.
        """
        self._given = [word for match in _WORD.finditer(given) if (word := _plain(match[0]))]
        self._has_space = given[-1:].isspace()
        self._starts = list(range(len(self._given)))
        """Where in what was given the repetition may have begun."""
        self._words: list[str] = []
        self._held = ""
        self._repeated_characters = 0
        self._is_decided = not self._given
        self._has_begun = False

    def take(self, text: str) -> str:
        """What of these whole words is new. Empty as long as they may be a repetition."""
        if not self._is_decided:
            before = len(self._held)
            self._held += text
            for match in _WORD.finditer(text):
                if word := _plain(match[0]):
                    self._compare(word, before + match.end())
                if not self._starts:
                    self._is_decided = True
                    break
            if not self._is_decided:
                return ""
            text = self._new()
        return self._joined(text)

    def rest(self) -> str:
        """What is held back when the continuation is complete."""
        return "" if self._is_decided else self._joined(self._new())

    def _compare(self, word: str, end: int) -> None:
        place = len(self._words)
        self._words.append(word)
        starts = [start for start in self._starts if self._given[start + place] == word]
        is_whole = bool(starts) and starts[-1] + place + 1 == len(self._given)
        if is_whole:
            starts.pop()
            if _letters(self._words) >= _LEAST_LETTERS:
                self._repeated_characters = end
        self._starts = starts

    def _new(self) -> str:
        new, self._held = self._held[self._repeated_characters :], ""
        return new

    def _joined(self, text: str) -> str:
        if self._has_space and not self._has_begun:
            text = text.lstrip()
        self._has_begun = self._has_begun or bool(text)
        return text


def _plain(word: str) -> str:
    return "".join(c for c in word.casefold() if not unicodedata.category(c).startswith("P"))


def _letters(words: Sequence[str]) -> int:
    return sum(
        len(word)
        for word in words
        if not word.isdigit() and (len(word) > 1 or _UNSPACED.match(word))
    )
