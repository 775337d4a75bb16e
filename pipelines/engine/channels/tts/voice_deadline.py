"""When a voice that says nothing is given up. Pure."""

from __future__ import annotations

from pipelines.settings import ProviderDeadlines


class VoiceDeadline:
    """Of one request to a voice. Times are in seconds of one monotonic clock.

    The voice owes sound from when it has text until it has spoken it. Until its first sound it has
    ``tts_first_audio_seconds``; later ``idle_seconds``, between two pieces as well as in sum while
    the caller has nothing left to hear.
    """

    def __init__(
        self,
        deadlines: ProviderDeadlines,
        patience: float = 1.0,
        shortened_seconds: float | None = None,
    ) -> None:
        """
        Args:
            patience: a factor for both.
            shortened_seconds: for its very first sound, because others have failed before.
        """
        self._usual_seconds = patience * deadlines.tts_first_audio_seconds
        self._first_audio_seconds = self._usual_seconds
        if shortened_seconds is not None:
            self._first_audio_seconds = shortened_seconds
        self._idle_seconds = patience * deadlines.idle_seconds
        self._owes_since: float | None = None
        self._last_sound_at: float | None = None
        self._plays_until = 0.0
        self._starved_seconds = 0.0

    def owes(self, at: float) -> None:
        """There is text that is not spoken."""
        if self._owes_since is None:
            self._owes_since = at
            self._last_sound_at = None
            self._starved_seconds = 0.0

    def owes_nothing(self) -> None:
        """All that it was given is spoken, and more text may come."""
        self._owes_since = None

    def sound(self, at: float, seconds: float) -> None:
        """``seconds`` of sound have come."""
        self._first_audio_seconds = self._usual_seconds
        if self._last_sound_at is not None and at > self._plays_until:
            self._starved_seconds += at - self._plays_until
        self._last_sound_at = at
        self._plays_until = max(self._plays_until, at) + seconds

    @property
    def is_shortened(self) -> bool:
        """Whether it had less time than usual, so that being late says nothing about it."""
        return self._first_audio_seconds < self._usual_seconds

    @property
    def has_sounded(self) -> bool:
        return self._last_sound_at is not None

    @property
    def waits_since(self) -> float | None:
        """When the last sound came or, before the first, when it began to owe some."""
        return self._owes_since if self._last_sound_at is None else self._last_sound_at

    @property
    def due_at(self) -> float | None:
        """When the voice is given up, if nothing comes until then."""
        if self._owes_since is None:
            return None
        if self._last_sound_at is None:
            return self._owes_since + self._first_audio_seconds
        idle_at = self._last_sound_at + self._idle_seconds
        starved_at = self._plays_until + self._idle_seconds - self._starved_seconds
        return min(idle_at, starved_at)

    @property
    def reason(self) -> str:
        """Why it is given up at ``due_at``."""
        if self._last_sound_at is None:
            return f"no sound within {self._first_audio_seconds:.2g} s"
        if self._starved_seconds:
            return "its sound comes slower than it is played"
        return f"no more sound for {self._idle_seconds:g} s"
