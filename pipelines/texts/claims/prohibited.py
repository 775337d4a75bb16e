"""What an agent must never claim: ``advanced.prohibitedClaims`` as a list, and whether a text says
any of it. Pure."""

from __future__ import annotations

import re

_SEPARATOR = re.compile(r"[,;\n]")
_WORD = re.compile(r"\w+")
_LEAST_CHARACTERS = 3
"""Shorter claims would be found in every text."""
_MOST_CLAIMS = 100


class ProhibitedClaims:
    """``text`` has one claim a line, or several between commas or semicolons. The first 100 count,
    and of those the ones with at least three characters."""

    def __init__(self, text: str | None) -> None:
        parts = (part.strip(" .\"'") for part in _SEPARATOR.split(text or ""))
        claims = [part for part in parts if len(part) >= _LEAST_CHARACTERS and _WORD.search(part)]
        self._claims = tuple(claims[:_MOST_CLAIMS])
        self._longest_words = tuple(map(_longest_word, self._claims))
        self._patterns = tuple(map(_pattern, self._claims))

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


def _longest_word(claim: str) -> str:
    words: list[str] = _WORD.findall(claim.lower())
    return max(words, key=len)


def _pattern(claim: str) -> re.Pattern[str]:
    words = r"[\W_]+".join(map(re.escape, _WORD.findall(claim)))
    return re.compile(rf"(?<!\w){words}(?!\w)", re.IGNORECASE)
