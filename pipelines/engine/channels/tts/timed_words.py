"""The words that a voice says are in its sound, and when. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from livekit.agents.types import TimedString
from livekit.agents.utils import is_given

_BACKWARDS_SECONDS = 0.05
_INACCURACY_SECONDS = 0.03


class TimedWords:
    """Some voices count from the beginning of the request, others from each piece of sound."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._ends: list[float] = []
        """In seconds from the beginning of the request."""
        self._offset_seconds = 0.0
        self._last_start = 0.0

    def add(self, words: Iterable[object], received_seconds: float) -> None:
        """Words that came before the sound after ``received_seconds``."""
        for word in words:
            if not (isinstance(word, TimedString) and is_given(word.end_time) and word.strip()):
                continue
            start = word.start_time if is_given(word.start_time) else word.end_time
            if start + self._offset_seconds < self._last_start - _BACKWARDS_SECONDS:
                self._offset_seconds = received_seconds
            self._last_start = start + self._offset_seconds
            self._words.append(word.strip())
            self._ends.append(word.end_time + self._offset_seconds)

    def __bool__(self) -> bool:
        return bool(self._words)

    def until(self, seconds: float) -> list[str]:
        """The words that have ended by then."""
        last = seconds + _INACCURACY_SECONDS
        return [word for word, end in zip(self._words, self._ends, strict=True) if end <= last]

    def end_of(self, count: int) -> float:
        """When the first ``count`` words have ended."""
        return self._ends[count - 1] if count else 0.0

    def may_be_all(self, text: str) -> bool:
        """Whether these may be all words of ``text``. The last is often told only at the end."""
        words = text.split()
        if len(self._words) >= len(words) - 1:
            return True
        told = sum(map(len, self._words))
        return told >= sum(map(len, words[:-1]))
