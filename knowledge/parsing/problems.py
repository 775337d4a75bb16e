"""Why a document cannot be read, in words for the person who sent it."""

from __future__ import annotations


class Unreadable(Exception):
    """The message is a whole sentence."""


NO_TEXT = "The document contains no text."
TOO_COSTLY = "The document takes too much time or memory to read; split it, or save it again."
