"""What an agent must never claim: ``advanced.prohibitedClaims`` as a list, and whether a text says
any of it. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from pipelines.texts import word_borders
from pipelines.texts.utterance import INNER_SENTENCE_END

_SEPARATOR = re.compile(r"[,;\n，；、،؛]")
_WORD = re.compile(rf"{word_borders.LETTER}+")
_BETWEEN = rf"(?:{word_borders.NO_LETTER}|_)+"
_LEAST_CHARACTERS = 3
"""Shorter claims would be found in every text."""
_LEAST_OF_SHORT_WORDS = 2
"""In Chinese, Japanese, Korean and Thai."""
_MOST_CLAIMS = 100


class ProhibitedClaims:
    """``text`` has one claim a line, or several between commas or semicolons. The first 100 count,
    and of those the ones with at least three characters; two in scripts with short words."""

    def __init__(self, text: str | None) -> None:
        parts = (part.strip(" .。\"'") for part in _SEPARATOR.split(text or ""))
        claims = [part for part in parts if len(part) >= _least(part) and _WORD.search(part)]
        self._claims = tuple(claims[:_MOST_CLAIMS])
        self._longest_words = tuple(map(_longest_word, self._claims))
        self._patterns = tuple(_pattern(_words(claim)) for claim in self._claims)
        self._stops = tuple(chain.from_iterable(map(_stops, self._claims)))

    def __bool__(self) -> bool:
        return bool(self._claims)

    @property
    def longest(self) -> int:
        """In characters; 0 without any."""
        return max(map(len, self._claims), default=0)

    def said_in(self, text: str) -> tuple[str, ...]:
        """The claims that ``text`` makes, whatever stands between their words."""
        lowered = text.lower()
        return tuple(
            claim
            for claim, word, pattern in zip(
                self._claims, self._longest_words, self._patterns, strict=True
            )
            # A long text is searched for a word in a tenth of the time.
            if word in lowered and pattern.search(text)
        )

    def stop_within(self, text: str) -> bool:
        """Whether ``text`` may end within a claim, at a sign that ends sentences ("No. 1")."""
        return any(stop.search(text) for stop in self._stops)


def _least(claim: str) -> int:
    return _LEAST_OF_SHORT_WORDS if word_borders.has_short_words(claim) else _LEAST_CHARACTERS


def _longest_word(claim: str) -> str:
    return max(_words(claim.lower()), key=len)


def _words(text: str) -> list[str]:
    return _WORD.findall(text)


def _pattern(words: Sequence[str], following: str = "") -> re.Pattern[str]:
    said = _BETWEEN.join(map(re.escape, words))
    before, after = word_borders.before(words[0]), word_borders.after(words[-1])
    return re.compile(f"{before}{said}{after}{following}", re.IGNORECASE)


def _stops(claim: str) -> Iterator[re.Pattern[str]]:
    """The beginnings of ``claim`` up to each sign in it that ends sentences elsewhere."""
    for end in INNER_SENTENCE_END.finditer(claim):
        if words := _words(claim[: end.end()]):
            yield _pattern(words, f"{_BETWEEN}$")
