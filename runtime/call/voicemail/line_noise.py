"""Tells sound from the noise of its line: hiss, a hum, an office in the background. Pure."""

from __future__ import annotations

from collections import deque

import numpy as np

from runtime.media.room import FRAME_MS, Samples

LEARNED_SECONDS = 2.0
"""Nobody speaks for so long without a moment in which the line alone is heard."""
LOUDEST_RMS = 1_300.0
"""-28 dBFS. What never falls below it is no noise: it is a voice, or music."""
_ABOVE_NOISE = 1.5
"""Frames of noise differ from each other by less."""


class LineNoise:
    """
    Args:
        quiet_rms: of a frame, of 32,768. What is not above it is quiet on any line.
    """

    def __init__(self, quiet_rms: float) -> None:
        self._quiet_rms = quiet_rms
        self._heard: deque[float] = deque(maxlen=round(LEARNED_SECONDS * 1000 / FRAME_MS))

    def is_exceeded(self, heard: Samples) -> bool:
        """Whether there is more than noise in the next 20 ms."""
        rms = float(np.sqrt(np.mean(np.square(heard.astype(np.float64)))))
        self._heard.append(rms)
        noise = min(min(self._heard), LOUDEST_RMS)
        return rms > max(self._quiet_rms, noise * _ABOVE_NOISE)
