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
    """``words`` with "?" for what is not in ``letters``."""
    return "".join(
        each if ord(each) in letters or each.isspace() else "-" if each == "–" else "?"
        for each in words
    )
