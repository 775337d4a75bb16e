"""Which letters a document can show."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

LATIN_1: frozenset[int] = frozenset(range(256))
"""What the fonts have that every PDF reader brings along."""


def letters_of(font: Path) -> frozenset[int]:
    """The code points of a TrueType font. Blocks."""
    from fontTools.ttLib import TTFont

    with TTFont(font, lazy=True) as opened:
        return frozenset(opened.getBestCmap() or ())


def printable(words: str, letters: Collection[int]) -> str:
    """``words`` with "?" for what is not in ``letters``."""
    return "".join(
        each if ord(each) in letters or each.isspace() else "-" if each == "–" else "?"
        for each in words
    )
