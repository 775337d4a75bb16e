"""What an agent must never claim: ``advanced.prohibitedClaims`` as a list, and whether a text says
any of it. Pure."""

from __future__ import annotations

import re

from pipelines.texts import word_borders

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


def _least(claim: str) -> int:
    return _LEAST_OF_SHORT_WORDS if word_borders.has_short_words(claim) else _LEAST_CHARACTERS


def _longest_word(claim: str) -> str:
    words: list[str] = _WORD.findall(claim.lower())
    return max(words, key=len)


def _pattern(claim: str) -> re.Pattern[str]:
    words: list[str] = _WORD.findall(claim)
    said = _BETWEEN.join(map(re.escape, words))
    before, after = word_borders.before(words[0]), word_borders.after(words[-1])
    return re.compile(f"{before}{said}{after}", re.IGNORECASE)
