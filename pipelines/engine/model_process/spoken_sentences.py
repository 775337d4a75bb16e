"""Sentences that a voice has spoken lately, so that it need not speak them again.

Agents greet every caller with the same words, and many callers may come at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import dataclass, field

KEPT_SECONDS = 600.0
"""From when it was spoken. What callers are told may concern them, so it does not stay for long."""
MOST_BYTES = 32 * 1024 * 1024


@dataclass
class _Sentence:
    speaking: asyncio.Task[bytes]
    waiting: int = 0
    forgetting: asyncio.TimerHandle = field(init=False)
    """Holds the sound until it is cancelled."""


class SpokenSentences:
    """Of one voice. A sentence for which several wait is spoken once for all of them."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._sentences: dict[Hashable, _Sentence] = {}
        """The oldest first."""

    async def sound(self, key: Hashable, speak: Callable[[], Awaitable[bytes]]) -> bytes:
        """The PCM of the sentence ``key``; ``speak`` makes it if it is not known.

        When everybody who waits for a sentence is cancelled, so is ``speak``. What it raises is
        raised by all of them, and not kept.
        """
        sentence = self._sentences.get(key) or self._begin(key, speak)
        sentence.waiting += 1
        try:
            return await asyncio.shield(sentence.speaking)
        finally:
            sentence.waiting -= 1
            if _is_spoken(sentence.speaking):
                self._make_room()
            elif not sentence.waiting:
                sentence.speaking.cancel()
                self._forget(key, sentence)

    def _begin(self, key: Hashable, speak: Callable[[], Awaitable[bytes]]) -> _Sentence:
        sentence = _Sentence(asyncio.create_task(_awaited(speak)))
        self._sentences[key] = sentence
        loop = asyncio.get_running_loop()
        sentence.forgetting = loop.call_later(KEPT_SECONDS, self._forget, key, sentence)
        return sentence

    def _forget(self, key: Hashable, sentence: _Sentence) -> None:
        sentence.forgetting.cancel()
        if self._sentences.get(key) is sentence:
            del self._sentences[key]

    def _make_room(self) -> None:
        spoken = {
            key: len(each.speaking.result())
            for key, each in self._sentences.items()
            if _is_spoken(each.speaking)
        }
        excess = sum(spoken.values()) - self._most_bytes
        for key, size in spoken.items():
            if excess <= 0:
                return
            self._forget(key, self._sentences[key])
            excess -= size


def _is_spoken(speaking: asyncio.Task[bytes]) -> bool:
    return speaking.done() and not speaking.cancelled() and speaking.exception() is None


async def _awaited(speak: Callable[[], Awaitable[bytes]]) -> bytes:
    return await speak()
