"""Characters that a text from outside may have and a call's events cannot. Pure."""

from __future__ import annotations


def sendable(text: str) -> str:
    """``text`` without U+0000, and with ``?`` for halves of surrogate pairs.

    JSON can name both, but UTF-8 has no form for a half, and PostgreSQL stores no U+0000.
    """
    if text.isascii() and "\0" not in text:
        return text
    return text.replace("\0", "").encode("utf-8", "replace").decode()
