"""Which letters a document can show. Pure."""

from __future__ import annotations

from collections.abc import Collection


def lacking(words: str, letters: Collection[int]) -> set[int]:
    """The code points of ``words`` that are not in ``letters``, apart from spaces and dashes."""
    return {
        ord(each)
        for each in words
        if ord(each) not in letters and not each.isspace() and each != "–"
    }


def printable(words: str, letters: Collection[int]) -> str:
    """``words`` with "?" for what is not in ``letters``. A space of any width becomes a plain one:
    the standard fonts of a PDF refuse what they lack."""
    return "".join(_shown(each, letters) for each in words)


def _shown(letter: str, letters: Collection[int]) -> str:
    if ord(letter) in letters or letter == "\n":
        return letter
    if letter.isspace():
        return " "
    return "-" if letter == "–" else "?"
