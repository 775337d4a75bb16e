"""What a realtime model says in one of the agent's turns, as far as it may be heard. Pure."""

from __future__ import annotations

import numpy as np
from livekit import rtc

from pipelines.engine.channels.tts.sound_check import AUDIBLE
from pipelines.engine.providers.local.speech_models import Samples
from pipelines.engine.turn_sound import AnswerSound

_NEAR = 0.8
"""The turn ends in a pause of the voice after this part of the limit,"""
_MOST = 1.25
"""and here without one."""
_PAUSE_SECONDS = 0.3
"""Between two sentences. Within one, voices pause less."""
_STEP_SECONDS = 0.01


class RealtimeSpeech:
    """Passes the sound of a turn until it is long enough: answers before and after tools count
    together. Its text says nothing about where in the sound a sentence ends; its pauses do.

    Args:
        max_seconds: that the turn may last.
    """

    def __init__(self, max_seconds: float) -> None:
        self._near_seconds = max_seconds * _NEAR
        self._sound = AnswerSound(0.0, max_seconds * _MOST)
        self._quiet_seconds = 0.0

    @property
    def is_over(self) -> bool:
        return self._sound.is_cut

    @property
    def seconds(self) -> float:
        """Of sound that were passed in the turn."""
        return self._sound.seconds

    def take(self, frame: rtc.AudioFrame) -> rtc.AudioFrame:
        """What of the next frame (mono) is passed."""
        place = self._pause_in(frame)
        if place is None:
            return self._sound.take(frame)
        samples = np.frombuffer(frame.data, np.int16)[:place]
        passed = rtc.AudioFrame(samples.tobytes(), frame.sample_rate, 1, place)
        passed = self._sound.take(passed)
        self._sound.is_cut = True
        return passed

    def _pause_in(self, frame: rtc.AudioFrame) -> int | None:
        """The sample at which a pause is long enough to end the turn."""
        rate_hz = frame.sample_rate
        samples: Samples = np.frombuffer(frame.data, np.int16)
        step = round(rate_hz * _STEP_SECONDS)
        for begin in range(0, samples.size, step):
            part = samples[begin : begin + step]
            is_quiet = int(np.abs(part.astype(np.int32)).max()) <= AUDIBLE
            self._quiet_seconds = self._quiet_seconds + part.size / rate_hz if is_quiet else 0.0
            end = begin + part.size
            is_near = self._sound.seconds + end / rate_hz >= self._near_seconds
            if is_near and self._quiet_seconds >= _PAUSE_SECONDS:
                return end
        return None
