"""Whether a piece of sound could be a voice: the cheap question before the dear one. Pure."""

from __future__ import annotations

from pipelines.engine.providers.local.speech_models import Samples

_LEAST_SWING = 400
"""From the lowest to the highest sample: what a digital line has without anybody speaking."""
_ABOVE_NOISE = 2.0
_MOST_NOISE = 1_500.0
_NOISE_GROWTH = 1.02
"""For each piece of 100 ms: doubles in 3.5 s. Between two words it falls again."""


class Loudness:
    def __init__(self) -> None:
        self._noise = float(_LEAST_SWING)

    def is_loud(self, samples: Samples) -> bool:
        """
        Args:
            samples: the next 100 ms, or a little more.
        """
        swing = int(samples.max()) - int(samples.min())
        self._noise = min(swing, self._noise * _NOISE_GROWTH + 1, _MOST_NOISE)
        return swing > max(_LEAST_SWING, _ABOVE_NOISE * self._noise)
