"""Where in the last seconds of sound somebody spoke. Pure but for the detector that it is given."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.engine.channels.stt.audio_ring import AudioRing
from pipelines.engine.providers.local.speech_models import HEARING_RATE, Samples

VoiceDetector = Callable[[Samples], float]
"""The probability of a voice in the next ``WINDOW`` samples. It remembers those before."""

WINDOW = 512
_WINDOWS_AT_ONCE = 32
"""A second of sound, and one millisecond of the processor."""
_BEGINS_AT = 0.5
_ENDS_BELOW = 0.35


class VoiceAnalysis:
    """Positions are those of the ring."""

    def __init__(self, ring: AudioRing, start: int, detector: VoiceDetector) -> None:
        self._ring = ring
        self._position = max(start, ring.start)
        self._detector = detector
        self._is_voice = False
        self.voice_seconds = 0.0
        self.first_voice: int | None = None
        self.silent_from = self._position
        """The end of the last voice, or where the analysis began."""

    def advance(self) -> bool:
        """Look at what has come since; of much, only at a part. Returns whether that was all."""
        for _ in range(_WINDOWS_AT_ONCE):
            samples = self._ring.read(self._position, self._position + WINDOW)
            if len(samples) < WINDOW:
                return True
            self._take(self._detector(samples))
        return False

    def _take(self, probability: float) -> None:
        began = self._position
        self._position += WINDOW
        self._is_voice = probability >= (_ENDS_BELOW if self._is_voice else _BEGINS_AT)
        if not self._is_voice:
            return
        if self.first_voice is None:
            self.first_voice = began
        self.voice_seconds += WINDOW / HEARING_RATE
        self.silent_from = self._position
