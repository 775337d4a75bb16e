"""The audio of one utterance while it grows, and when to transcribe it. Pure.

This makes a recogniser that decodes whole utterances behave like a streaming one. It decodes at
intervals while the caller speaks (interim), and again at the first short silence (preflight). If
the caller says no more until the end of speech, that text is the final one and takes no more time.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from pipelines.engine.providers.local.speech_models import Samples


class Decode(Enum):
    INTERIM = "interim"
    PREFLIGHT = "preflight"
    """The caller may have finished, so an answer can be prepared."""
    PART = "part"
    """The utterance is as long as the model understands well. End it and begin the next."""


@dataclass(frozen=True)
class DecodeTiming:
    interim_interval_seconds: float = 0.6
    interim_rest: float = 4.0
    """Between two interim texts lies this many times the time that one takes."""
    preflight_silence_seconds: float = 0.09
    soft_limit_seconds: float = 12.0
    """After this, the next short silence ends a part."""
    hard_limit_seconds: float = 20.0


class SpeechBuffer:
    """The audio of one utterance, including the padding before it."""

    def __init__(
        self,
        onset: Samples,
        *,
        sample_rate: int,
        started_at_seconds: float,
        timing: DecodeTiming | None = None,
    ) -> None:
        self._timing = timing or DecodeTiming()
        self._sample_rate = sample_rate
        self._chunks: list[Samples] = [onset]
        self._count = len(onset)
        self._decoded_count = len(onset)
        self._interim_interval_seconds = self._timing.interim_interval_seconds
        self._voice_since_preflight = True
        self.started_at_seconds = started_at_seconds

    @property
    def seconds(self) -> float:
        return self._count / self._sample_rate

    @property
    def has_undecoded_voice(self) -> bool:
        """Whether voice was heard after the last preflight, so its text is not final."""
        return self._voice_since_preflight

    def audio(self) -> Samples:
        return np.concatenate(self._chunks)

    def decoding_took(self, seconds: float) -> None:
        """Set the interval of interim texts by how long one took."""
        self._interim_interval_seconds = max(
            self._timing.interim_interval_seconds, seconds * self._timing.interim_rest
        )

    def extend(self, samples: Samples, silence_seconds: float) -> Decode | None:
        """Append ``samples``, with ``silence_seconds`` without voice before them.

        Returns what to decode now (all of ``audio()``), or ``None``.
        """
        self._chunks.append(samples)
        self._count += len(samples)
        if silence_seconds == 0:
            self._voice_since_preflight = True
        decode = self._due(silence_seconds)
        if decode is not None:
            self._decoded_count = self._count
            if decode is not Decode.INTERIM:
                self._voice_since_preflight = False
        return decode

    def _due(self, silence_seconds: float) -> Decode | None:
        timing = self._timing
        if self.seconds >= timing.hard_limit_seconds:
            return Decode.PART
        pausing = silence_seconds >= timing.preflight_silence_seconds
        if pausing and self._voice_since_preflight:
            return Decode.PART if self.seconds >= timing.soft_limit_seconds else Decode.PREFLIGHT
        undecoded_seconds = (self._count - self._decoded_count) / self._sample_rate
        if silence_seconds == 0 and undecoded_seconds >= self._interim_interval_seconds:
            return Decode.INTERIM
        return None
