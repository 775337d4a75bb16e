"""The caller's audio: 48 kHz mono, 20 ms a frame, as Opus carries it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SAMPLE_RATE_HZ = 48_000
FRAME_SECONDS = 0.020
FRAME_SAMPLES = 960

Samples = NDArray[np.int16]
"""Mono PCM, shape ``(samples,)``."""


def silence(samples: int = FRAME_SAMPLES) -> Samples:
    """Digital silence, like that of a muted microphone."""
    return np.zeros(samples, dtype=np.int16)
