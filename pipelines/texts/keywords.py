"""``stt_keywords``: comma-separated words that the recogniser should expect."""

from __future__ import annotations


def split_keywords(keywords: str | None) -> tuple[str, ...]:
    """The words without blanks and repetitions, in the order given."""
    words = (word.strip() for word in (keywords or "").split(","))
    return tuple(dict.fromkeys(word for word in words if word))
