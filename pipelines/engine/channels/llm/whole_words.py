"""Holds back a word that is not complete, so that no answer breaks off within a word. Pure."""

from __future__ import annotations

import re

from pipelines.texts.utterance import LONGEST_PIECE, WRITTEN_WITHOUT_SPACES

_WHOLE = re.compile(rf".*(?:\s|{WRITTEN_WITHOUT_SPACES})", re.DOTALL)


class WholeWords:
    """Costs no time: whoever speaks the text (``TextPieces``) waits for whole words, too."""

    def __init__(self) -> None:
        self._held = ""

    def take(self, text: str) -> str:
        """The words that are whole with these characters, with the space after them."""
        text = self._held + text
        if text.isascii():
            end = max(text.rfind(" "), text.rfind("\n")) + 1
        else:
            whole = _WHOLE.match(text)
            end = whole.end() if whole is not None else 0
        if len(text) - end > LONGEST_PIECE:
            end = len(text)
        if not text[:end].strip():
            end = 0
        self._held = text[end:]
        return text[:end]

    def rest(self) -> str:
        """The last word, when the text is complete."""
        rest, self._held = self._held, ""
        return rest
