"""Where speech begins and ends in a row of voice probabilities. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Change = Literal["began", "ended"]


@dataclass(frozen=True)
class SpeechThresholds:
    """A sound is a voice from the probability ``activation`` on, and in speech above
    ``deactivation``."""

    activation: float
    deactivation: float
    min_speech_seconds: float
    min_silence_seconds: float


class SpeechSegments:
    """Counts as the engine's own detector does, sum by sum: its turn taking is tuned to that."""

    def __init__(self, thresholds: SpeechThresholds, window_seconds: float) -> None:
        self._thresholds = thresholds
        self._window_seconds = window_seconds
        self.reset()

    def reset(self) -> None:
        self.windows = 0
        self.seconds = 0.0
        self.is_speech = False
        self.speech_seconds = 0.0
        self.silence_seconds = 0.0
        self.voice_run_seconds = 0.0
        """Of voice without a pause, up to now."""
        self.quiet_run_seconds = 0.0
        """Without voice, up to now."""

    @property
    def is_quiet(self) -> bool:
        """There is no speech, and none is beginning."""
        return not self.is_speech and not self.voice_run_seconds

    def hear(self) -> None:
        """Another window of sound has come."""
        self.windows += 1
        self.seconds += self._window_seconds
        if self.is_speech:
            self.speech_seconds += self._window_seconds
        else:
            self.silence_seconds += self._window_seconds

    def is_voice(self, probability: float) -> bool:
        """Whether the window with this voice probability, the next one, continues or begins a
        voice."""
        thresholds = self._thresholds
        return probability >= thresholds.activation or (
            self.is_speech and probability > thresholds.deactivation
        )

    def judge(self, probability: float) -> Change | None:
        """What the voice probability of the window that was heard last changes."""
        thresholds = self._thresholds
        if self.is_voice(probability):
            self.voice_run_seconds += self._window_seconds
            self.quiet_run_seconds = 0.0
            if self.is_speech or self.voice_run_seconds < thresholds.min_speech_seconds:
                return None
            self.is_speech = True
            self.silence_seconds = 0.0
            self.speech_seconds = self.voice_run_seconds
            return "began"
        self.quiet_run_seconds += self._window_seconds
        self.voice_run_seconds = 0.0
        if not self.is_speech or self.quiet_run_seconds < thresholds.min_silence_seconds:
            return None
        self.is_speech = False
        self.silence_seconds = self.quiet_run_seconds
        self.speech_seconds = max(0.0, self.speech_seconds - self.quiet_run_seconds)
        return "ended"

    def forget_speech(self) -> None:
        """The speech that ended counts no longer."""
        self.speech_seconds = 0.0
