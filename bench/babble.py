"""Sound that stands for a voice."""

from __future__ import annotations

import numpy as np


def babble(rate: int, seconds: float) -> np.ndarray[tuple[int], np.dtype[np.int16]]:
    """Noise with the loudness and the rhythm of speech, which costs Opus more than a tone."""
    times = np.arange(round(rate * seconds)) / rate
    noise = np.random.default_rng(1).normal(0, 2_500, times.size)
    return (noise * np.abs(np.sin(2 * np.pi * 1.5 * times))).astype(np.int16)
