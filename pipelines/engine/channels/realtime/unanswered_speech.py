"""What a caller has said to a realtime model that has not told the words. Pure."""

from __future__ import annotations

from collections import deque

from livekit import rtc

KEPT_SECONDS = 10.0
_BEFORE_VOICE_SECONDS = 0.5
"""A detector finds a voice only when a part of it is over."""


class UnansweredSpeech:
    """Keeps the last ``KEPT_SECONDS``, to be given to a recogniser."""

    def __init__(self) -> None:
        self._said: deque[rtc.AudioFrame] = deque()
        self._seconds = 0.0
        self._voice_seconds: float | None = None
        """How much of ``_said`` there is from the beginning of the voice on."""
        self.turn: tuple[rtc.AudioFrame, ...] = ()
        """Of turns that are over, and whose words are not known."""

    def push(self, frame: rtc.AudioFrame) -> None:
        self._said.append(frame)
        self._seconds += frame.duration
        if self._voice_seconds is not None:
            self._voice_seconds += frame.duration
        while self._seconds > KEPT_SECONDS:
            self._seconds -= self._said.popleft().duration

    def voice(self) -> None:
        """The caller is speaking."""
        if self._voice_seconds is None:
            self._voice_seconds = min(_BEFORE_VOICE_SECONDS, self._seconds)

    def turn_ended(self) -> None:
        voice_seconds = self._voice_seconds
        self.turn += tuple(self._said) if voice_seconds is None else self._last(voice_seconds)
        self.cleared()

    def words_known(self) -> None:
        """The model has told the words of the turn."""
        self.turn = ()

    def cleared(self) -> None:
        """What was said since the last turn counts for nothing."""
        self._said.clear()
        self._seconds = 0.0
        self._voice_seconds = None

    def unfinished(self) -> tuple[rtc.AudioFrame, ...]:
        """Of the turn that goes on. While no voice is found, it may just have begun."""
        voice_seconds = self._voice_seconds
        return self._last(_BEFORE_VOICE_SECONDS if voice_seconds is None else voice_seconds)

    def _last(self, wanted_seconds: float) -> tuple[rtc.AudioFrame, ...]:
        frames: list[rtc.AudioFrame] = []
        seconds = 0.0
        for frame in reversed(self._said):
            if seconds >= wanted_seconds:
                break
            frames.append(frame)
            seconds += frame.duration
        return tuple(reversed(frames))
