"""Text from outside, made fit for PostgreSQL. Pure."""

from __future__ import annotations


def storable(text: str) -> str:
    """``text`` without U+0000 and halves of surrogate pairs, which a text column cannot hold."""
    return text.replace("\x00", "").encode("utf-8", "replace").decode("utf-8")
