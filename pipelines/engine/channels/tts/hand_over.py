"""How the sound of a voice that may still break off is handed on. Pure.

Voices speak faster than they are heard. What is handed on cannot be taken back, so sound is handed
on just ahead of the moment at which it is heard. If the voice breaks off, what is left is cut after
a word, and the next voice begins with a whole one. Nobody waits: the first sound goes on at once,
and all of it as soon as the voice has finished.
"""

from __future__ import annotations

import numpy as np

from pipelines.engine.channels.tts.held_sound import HeldSound
from pipelines.engine.channels.tts.word_end import quiet_places
from pipelines.engine.providers.local.speech_models import Samples

AHEAD_SECONDS = 0.5
"""How far the sound that was handed on reaches ahead of what is heard."""
_JUST_IN_TIME_SECONDS = 0.1
_ALIVE_SECONDS = 0.3
"""A voice from which sound came within that time is expected to go on."""
_LAST_WORDS_SECONDS = (0.9, 0.6)
"""What waits until a voice goes on that seems to have stopped begins between these, at the quietest
place. In it a word ends."""


class HandOver:
    """The sound of one request. Times are in seconds of one monotonic clock."""

    def __init__(self, rate_hz: int, plays_until: float = 0.0) -> None:
        """
        Args:
            plays_until: when the caller has heard what earlier requests made.
        """
        self._rate_hz = rate_hz
        self._handed: list[Samples] = []
        self._held = HeldSound()
        self._last_taken_at = 0.0
        self.plays_until = plays_until
        self.due_at: float | None = None
        """When to ask ``due``, unless more sound comes before."""
        self.handed_samples = 0
        self.received_samples = 0

    @property
    def handed(self) -> Samples:
        """All that was handed on."""
        return np.concatenate(self._handed) if self._handed else np.empty(0, np.int16)

    @property
    def held(self) -> Samples:
        """All that came and was not handed on."""
        return self._held.whole()

    def take(self, samples: Samples, now: float) -> Samples:
        """``samples`` have come. Returns what is handed on now."""
        self._last_taken_at = now
        self.received_samples += samples.size
        self._held.add(samples)
        return self.due(now)

    def due(self, now: float) -> Samples:
        """What has to be handed on by now.

        The last words wait until more comes, for as long as the caller has something to hear. If
        the voice seems to have stopped they wait longer.
        """
        wanted = max(0, round((now + AHEAD_SECONDS - max(self.plays_until, now)) * self._rate_hz))
        is_beginning = self.handed_samples < AHEAD_SECONDS * self._rate_hz
        is_just_in_time = self.plays_until - now <= _JUST_IN_TIME_SECONDS
        is_alive = now - self._last_taken_at < _ALIVE_SECONDS
        is_enough = wanted <= self._held.size - round(_LAST_WORDS_SECONDS[0] * self._rate_hz)
        if is_enough or is_beginning or (is_just_in_time and is_alive):
            handed = self._hand_on(min(wanted, self._held.size), now)
            self.due_at = self.plays_until - AHEAD_SECONDS / 2 if self._held.size else None
            return handed
        handed = self._hand_on(min(wanted, self._last_words_begin()), now)
        look_again_at = self.plays_until - _JUST_IN_TIME_SECONDS
        self.due_at = look_again_at if self._held.size and look_again_at > now else None
        return handed

    def all_but_the_last_words(self, now: float) -> Samples:
        """The voice has broken off in one of the last words, which are left."""
        self.due_at = None
        return self._hand_on(self._last_words_begin(), now)

    def finish(self, now: float) -> Samples:
        """The voice has finished: all that is left."""
        return self.break_off(self._held.size, now)

    def break_off(self, count: int, now: float) -> Samples:
        """The voice has broken off: the first ``count`` samples of what is held. The rest is
        dropped."""
        last = self._hand_on(count, now)
        self._held.clear()
        self.due_at = None
        return last

    def _last_words_begin(self) -> int:
        most, least = (round(seconds * self._rate_hz) for seconds in _LAST_WORDS_SECONDS)
        latest = self._held.size - least
        if latest <= 0:
            return 0
        last = self._held.last(most)
        places = quiet_places(last[: last.size - least], self._rate_hz)
        return self._held.size - last.size + places[0] if places else latest

    def _hand_on(self, count: int, now: float) -> Samples:
        handed = self._held.take(count)
        if handed.size:
            self.plays_until = max(self.plays_until, now) + handed.size / self._rate_hz
            self.handed_samples += handed.size
            self._handed.append(handed)
        return handed
