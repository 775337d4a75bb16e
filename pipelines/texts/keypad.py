"""What is entered on a phone's keypad, as words that a language model reads. Pure."""

from __future__ import annotations

import re

_ENTRY = re.compile(r"^\[keypad\] [0-9A-D*#]+$")
_DIGIT = re.compile(r"\d")
HIDDEN_ENTRY = "[keypad] (not shown)"


def words_of_keys(digits: str) -> str:
    """``"1234"`` → ``"[keypad] 1234"``."""
    return f"[keypad] {digits}"


class HiddenKeys:
    """Keeps secrets that were entered out of a transcript: the entry itself, and from then on every
    digit, because an agent may read the entry back."""

    def __init__(self, *, hides: bool) -> None:
        """
        Args:
            hides: whether the agents of the call ask for secrets at all.
        """
        self._hides = hides
        self._was_entered = False

    def shown(self, text: str) -> str:
        """``text`` as a transcript may show it."""
        if not self._hides:
            return text
        if _ENTRY.match(text):
            self._was_entered = True
            return HIDDEN_ENTRY
        return _DIGIT.sub("•", text) if self._was_entered else text
