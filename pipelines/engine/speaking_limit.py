"""``maxTurnLength``: how long the agent may speak in one turn. Pure."""

from __future__ import annotations

import re

from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.texts.utterance import FULL_STOPS, MOST_CHARACTERS_OF_TEXT, SENTENCE_END

_SENTENCE_END = re.compile(rf"[.!?…](?=\s|$)|[{FULL_STOPS}]")
_NEAR = 0.8
"""A sentence that ends after this part of the limit is the last one."""
_MOST = 1.25
"""An endless sentence is cut there."""
_ONE_SENTENCE_SECONDS = 10.0
"""That may be said although the turn is full: after a tool was used, nobody should hear silence."""
_SLOWEST = 0.5
"""Of the pace that is expected: what digits are read with."""


class SpeakingLimit:
    """Passes as much text as can be said in ``max_seconds``, up to the end of a sentence near it.

    What counts is the sound. Until ``sounded`` tells its length, that is estimated from the text.
    Where a sentence ends that may be near the limit, ``asks_for_sound``. Every text ends after
    ``MOST_CHARACTERS_OF_TEXT``.

    Args:
        before_seconds: how long the agent was heard in this turn already.
    """

    def __init__(self, max_seconds: float, pace: SpeakingPace, before_seconds: float = 0.0) -> None:
        self._near_seconds = max_seconds * _NEAR
        grace_seconds = _ONE_SENTENCE_SECONDS if before_seconds else 0.0
        self._most_seconds = max(max_seconds * _MOST, before_seconds + grace_seconds)
        self._before_seconds = before_seconds
        self._pace = pace
        self._known_seconds = before_seconds
        self._unknown = 0
        """Characters that were passed and whose sound is not known."""
        self._taken = 0
        self._held = ""
        """What follows the end of a sentence that may be the last one."""
        self._over = False
        self.asks_for_sound = False
        """Whether ``sounded`` is to be called before more text is taken."""

    @property
    def most_seconds(self) -> float:
        """Of sound of this answer: what its voice makes beyond is not to be heard."""
        return self._most_seconds - self._before_seconds

    def sounded(self, seconds: float) -> None:
        """All text that was passed is ``seconds`` of sound."""
        self._known_seconds = self._before_seconds + seconds
        self._unknown = 0
        self.asks_for_sound = False
        self._over = self._over or self._known_seconds >= self._near_seconds

    def take(self, text: str) -> str:
        """The part of the next piece of text that may be spoken.

        It ends with a sentence that may be the last one. What follows that begins the next piece,
        which may be empty.
        """
        start = self._unknown
        near = self._characters(self._near_seconds)
        # If nobody has told the sound, the estimate counts.
        self._over = self._over or (self.asks_for_sound and start > near)
        self.asks_for_sound = False
        if self._over:
            return ""
        text, self._held = self._held + text, ""
        most = self._characters(self._most_seconds)
        most = min(most, start + MOST_CHARACTERS_OF_TEXT - self._taken)
        end = _SENTENCE_END.search(text, max(0, near - start))
        if start + len(text) > near and end is not None:
            text, self._held = text[: end.end()], text[end.end() :]
        if start + len(text) > most:
            self._over = True
            text = text[: max(0, most - start)]
        self._unknown += len(text)
        self._taken += len(text)
        ends = not self._over and SENTENCE_END.search(text) is not None
        self.asks_for_sound = ends and self._unknown >= _SLOWEST * near
        return text

    def _characters(self, until_seconds: float) -> int:
        """Of unknown sound that are said until then, at the pace of the voice."""
        seconds = max(0.0, until_seconds - self._known_seconds)
        return int(seconds * self._pace.characters_per_second)
