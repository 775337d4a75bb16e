"""``maxTurnLength``: how long the agent may speak in one turn."""

from __future__ import annotations

import re

from livekit.agents import llm

from pipelines.engine.speaking_pace import SpeakingPace
from pipelines.texts.utterance import MOST_CHARACTERS_OF_TEXT

_SENTENCE_END = re.compile(r"[.!?…](?=\s|$)|[。？！।]")
_NEAR = 0.9
"""A sentence that ends after this part of the limit is the last one."""
_ONE_SENTENCE = 150
"""Characters that may be said although the turn is full: after a tool was used, nobody should hear
silence."""


class SpeakingLimit:
    """Passes as much text as can be said in ``max_seconds``, up to the end of a sentence near it.

    It counts characters at the pace of the voice, because text that is not spoken must not get into
    the transcript either. An endless sentence is cut when it exceeds the limit by a quarter, and
    every text after ``MOST_CHARACTERS_OF_TEXT``.

    Args:
        said: how many characters the turn has already.
    """

    def __init__(self, max_seconds: float, pace: SpeakingPace, said: int = 0) -> None:
        self._max_seconds = max_seconds
        self._pace = pace
        self._said = said
        self._taken = said
        self._over = False

    def take(self, text: str) -> str:
        """The part of the next piece of text that may be spoken."""
        if self._over:
            return ""
        seconds_as_characters = int(self._max_seconds * self._pace.characters_per_second)
        limit = min(seconds_as_characters, self._said + MOST_CHARACTERS_OF_TEXT)
        start = self._taken
        self._taken += len(text)
        near = int(limit * _NEAR)
        if self._taken <= near:
            return text
        end = _SENTENCE_END.search(text, max(0, near - start))
        if end is not None:
            self._over = True
            text = text[: end.end()]
        elif self._taken <= limit:
            return text
        hard_limit = max(limit + limit // 4, self._said + _ONE_SENTENCE if self._said else 0)
        hard_limit = min(hard_limit, self._said + MOST_CHARACTERS_OF_TEXT)
        if start + len(text) > hard_limit:
            self._over = True
            text = text[: max(0, hard_limit - start)]
        return text


def said_in_turn(history: llm.ChatContext) -> int:
    """How many characters the agent has said since the caller's last words: before it used a tool,
    and while it waited for it. What another agent said before it handed over does not count."""
    said = 0
    for item in reversed(history.items):
        if isinstance(item, llm.AgentHandoff):
            break
        if isinstance(item, llm.ChatMessage):
            if item.role == "user":
                break
            if item.role == "assistant":
                said += len(item.text_content or "")
    return said
