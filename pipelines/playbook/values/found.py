"""A value that a recogniser found in a phrase."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """``value`` is the canonical text that is stored, ``spoken`` the same for the ear, ``words``
    the indexes of the words that it was read from."""

    value: str
    spoken: str
    words: range
