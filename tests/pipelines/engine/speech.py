"""Callers' speech, made by the offline voice, as a telephone would send it."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

_HIBARI_HZ = 24_000
_INPUT_HZ = 16_000
_AUDIBLE = 0.01


@cache
def _synthesiser() -> object:
    import hibari

    return hibari.Hibari()


def spoken(text: str) -> NDArray[np.int16]:
    """``text`` at 16 kHz without the silence around it."""
    audio = _synthesiser()(text, seed=1)  # type: ignore[operator]
    audible = np.flatnonzero(np.abs(audio) > _AUDIBLE)
    audio = audio[audible[0] : audible[-1]]
    low_pass = np.sinc(np.arange(-30, 31) * 0.63) * np.hamming(61)
    smooth = np.convolve(audio, low_pass / low_pass.sum(), mode="same")
    at = np.arange(int(len(smooth) * _INPUT_HZ / _HIBARI_HZ)) * _HIBARI_HZ / _INPUT_HZ
    resampled = np.interp(at, np.arange(len(smooth)), smooth)
    samples: NDArray[np.int16] = (np.clip(resampled, -1, 1) * 32_767).astype(np.int16)
    return samples
