"""The ``svc`` format of ``custom_voice_url`` (docs/custom-endpoints.md). Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pipelines.engine.providers.custom.messages import (
    BrokenMessage,
    decoded,
    encoded,
    seconds_of,
    text_of,
)

RATE_HZ = 24_000
MOST_BYTES = 16 * 1024 * 1024
"""Of one text's sound: five minutes and a half."""


@dataclass(frozen=True)
class SpokenWord:
    """Times are in seconds, from the first sample of the text's sound."""

    text: str
    start: float
    end: float


@dataclass(frozen=True)
class Sound:
    """PCM of 16 bits, little-endian, mono, at ``RATE_HZ``."""

    pcm: bytes


@dataclass(frozen=True)
class Words:
    words: tuple[SpokenWord, ...]


def start_message(*, voice: str, language: str, model: str) -> str:
    """The first one on a connection."""
    return encoded("start", sample_rate=RATE_HZ, voice=voice, language=language, model=model)


def speak_message(text: str) -> str:
    return encoded("speak", text=text)


class SpokenText:
    """What comes for one text."""

    def __init__(self) -> None:
        self._bytes = 0
        self.is_done = False

    def take(self, message: str | bytes) -> Sound | Words | None:
        """``None`` for a message that brings nothing, among them those of unknown types.

        Raises:
            BrokenMessage: it is not of the format, or there is too much sound.
            ReportedError: the server cannot speak the text.
        """
        if isinstance(message, bytes):
            return self._sound(message)
        answer = decoded(message)
        if answer["type"] == "words":
            return Words(_words(answer))
        self.is_done = answer["type"] == "done"
        return None

    def _sound(self, pcm: bytes) -> Sound:
        if len(pcm) % 2:
            raise BrokenMessage("a binary message ends in the middle of a sample")
        self._bytes += len(pcm)
        if self._bytes > MOST_BYTES:
            raise BrokenMessage(f"a text has more than {MOST_BYTES} bytes of sound")
        return Sound(pcm)


def _words(answer: dict[str, Any]) -> tuple[SpokenWord, ...]:
    words = answer.get("words")
    if not isinstance(words, list) or not all(isinstance(word, dict) for word in words):
        raise BrokenMessage("words is no list of objects")
    return tuple(_word({"type": "words", **word}) for word in words)


def _word(word: dict[str, Any]) -> SpokenWord:
    start, end = seconds_of(word, "start_ms"), seconds_of(word, "end_ms")
    if start is None or end is None:
        raise BrokenMessage("a word has no start_ms or no end_ms")
    return SpokenWord(text_of(word), start, end)
