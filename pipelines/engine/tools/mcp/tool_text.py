"""Texts of a server, made fit for a model's request and for a call's events. Pure."""

from __future__ import annotations

_CUT = " … (cut after {} KB)"


def plain(text: str) -> str:
    """``text`` without what PostgreSQL and JSON in UTF-8 cannot hold."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def in_short(text: str, most_characters: int) -> str:
    return text if len(text) <= most_characters else text[: most_characters - 2] + " …"


def cut(text: str, most_bytes: int) -> str:
    """The beginning of ``text``, with a note if something is missing."""
    document = text.encode()
    if len(document) <= most_bytes:
        return text
    return document[:most_bytes].decode("utf-8", "ignore") + _CUT.format(most_bytes // 1024)
