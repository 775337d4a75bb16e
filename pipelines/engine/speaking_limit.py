"""``maxTurnLength``: how long the agent may speak in one turn."""

from __future__ import annotations

import re

from pipelines.texts.utterance import MOST_CHARACTERS_OF_TEXT

_CHARACTERS_PER_SECOND = 15
"""For calm English speech; Hibari speaks 14 to 17."""
_SENTENCE_END = re.compile(r"[.!?…。？！।]+(?=\s|$)")


class SpeakingLimit:
    """Passes as much text as can be said in ``max_seconds``, up to the end of the sentence.

    It counts characters, because text that is not spoken must not get into the transcript either.
    An endless sentence is cut when it exceeds the limit by a quarter, and every text after
    ``MOST_CHARACTERS_OF_TEXT``.
    """

    def __init__(self, max_seconds: float) -> None:
        self._limit = int(max_seconds * _CHARACTERS_PER_SECOND)
        self._hard_limit = min(self._limit + self._limit // 4, MOST_CHARACTERS_OF_TEXT)
        self._taken = 0
        self._over = False

    def take(self, text: str) -> str:
        """The part of the next piece of text that may be spoken."""
        if self._over:
            return ""
        start = self._taken
        self._taken += len(text)
        if self._taken <= self._limit:
            return text
        end = _SENTENCE_END.search(text, max(0, self._limit - start))
        if end is not None:
            self._over = True
            text = text[: end.end()]
        if start + len(text) > self._hard_limit:
            self._over = True
            text = text[: max(0, self._hard_limit - start)]
        return text
