"""Word lists, written as running text."""

from __future__ import annotations


def word_list(text: str) -> tuple[str, ...]:
    return tuple(text.split())
