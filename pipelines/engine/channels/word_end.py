"""Where words end in the sound of a voice, by its loudness. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.engine.providers.local.speech_models import Samples

STEP_SECONDS = 0.01
_WINDOW_STEPS = 4
"""A word ends where the voice is quietest for that long."""
_PAUSE_DECIBELS = 35.0
"""So much quieter than the loudest step is a pause."""
_FLOOR_DECIBELS = 20.0


def quietest(samples: Samples, rate_hz: int, begin: int, end: int) -> tuple[int, float]:
    """The place between two indices of ``samples`` where the voice is quietest, and its loudness
    there in decibels. ``end`` if there is no room for one."""
    step = round(rate_hz * STEP_SECONDS)
    begin, end = max(0, begin), min(end, samples.size)
    steps = (end - begin) // step
    if steps < _WINDOW_STEPS:
        return end, _FLOOR_DECIBELS
    window = np.ones(_WINDOW_STEPS) / _WINDOW_STEPS
    power = np.convolve(_power(samples[begin:end], step), window, mode="valid")
    decibels = np.maximum(10 * np.log10(power + 1.0), _FLOOR_DECIBELS)
    best = int(np.argmin(decibels))
    return begin + (best + _WINDOW_STEPS // 2) * step, float(decibels[best])


def word_ends(samples: Samples, rate_hz: int, shares: Sequence[float]) -> list[int]:
    """Where about words end in ``samples`` of which each is this share of what is said in them.

    Counts only the time in which the voice sounds.
    """
    step = round(rate_hz * STEP_SECONDS)
    power = _power(samples, step)
    if not power.size:
        return [0 for _ in shares]
    threshold = float(power.max()) / 10 ** (_PAUSE_DECIBELS / 10)
    voiced = np.cumsum(power > threshold)
    return [int(np.searchsorted(voiced, share * voiced[-1])) * step for share in shares]


def _power(samples: Samples, step: int) -> NDArray[np.float64]:
    steps = samples.size // step
    whole = samples[: steps * step].astype(np.float64).reshape(steps, step)
    power: NDArray[np.float64] = np.mean(np.square(whole), axis=1)
    return power
