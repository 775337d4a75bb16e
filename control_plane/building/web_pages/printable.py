"""Text without characters that cannot be seen. Pure."""

from __future__ import annotations

import unicodedata

_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
"""Unicode's general categories: controls, formats, surrogates, private use and unassigned."""
_KEPT = frozenset("\n\u200c\u200d")
"""Line ends, and the joiners that some scripts need."""


def printable(text: str) -> str:
    """``text`` with ``\\n`` as line end and tabs as spaces, without other unseen characters."""
    return "".join(
        character
        for character in text.replace("\r\n", "\n").replace("\t", " ")
        if character in _KEPT or unicodedata.category(character) not in _UNSEEN
    )
