"""Where words may end in the sound of a voice, by its loudness. Pure."""

from __future__ import annotations

import numpy as np

from pipelines.engine.providers.local.speech_models import Samples

_STEP_SECONDS = 0.01
_WINDOW_STEPS = 4
"""A word ends where the voice is quietest for that long."""
_APART_STEPS = 10
"""Two places are at least that far apart."""
_FLOOR_DECIBELS = 20.0


def quiet_places(samples: Samples, rate_hz: int, begin: int = 0) -> list[int]:
    """Indices of ``samples`` from ``begin`` on where the voice is quiet, the quietest first."""
    step = round(rate_hz * _STEP_SECONDS)
    steps = (samples.size - begin) // step
    if steps < _WINDOW_STEPS:
        return []
    whole = samples[begin : begin + steps * step].astype(np.float64).reshape(steps, step)
    window = np.ones(_WINDOW_STEPS) / _WINDOW_STEPS
    power = np.convolve(np.mean(np.square(whole), axis=1), window, mode="valid")
    decibels = np.maximum(10 * np.log10(power + 1.0), _FLOOR_DECIBELS)
    places: list[int] = []
    for place in np.argsort(decibels, kind="stable"):
        if all(abs(place - other) >= _APART_STEPS for other in places):
            places.append(int(place))
    return [begin + (place + _WINDOW_STEPS // 2) * step for place in places]
