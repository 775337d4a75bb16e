"""Language tags, and which of them a model or a voice covers (RFC 4647, basic filtering)."""

from __future__ import annotations

from collections.abc import Iterable

ANY_LANGUAGE = "*"


def primary_language(tag: str) -> str:
    """The language subtag in lower case: ``hi-IN`` → ``hi``."""
    return tag.split("-", 1)[0].lower()


def region(tag: str) -> str | None:
    """The region subtag in upper case: ``en-US`` → ``US``."""
    return next((part for part in tag.split("-")[1:] if len(part) == 2), "").upper() or None


def covers(ranges: Iterable[str], tag: str) -> bool:
    """Whether one of ``ranges`` (``*``, ``en``, ``pt-BR``) is ``tag`` or a prefix of it."""
    return closeness(ranges, tag) is not None


def closeness(ranges: Iterable[str], tag: str) -> int | None:
    """How many subtags of ``tag`` the longest matching range has; ``None`` if none matches."""
    wanted = tag.lower()
    fitting = []
    for language_range in ranges:
        offered = language_range.lower()
        if offered == ANY_LANGUAGE:
            fitting.append(0)
        elif wanted == offered or wanted.startswith(f"{offered}-"):
            fitting.append(offered.count("-") + 1)
    return max(fitting, default=None)
