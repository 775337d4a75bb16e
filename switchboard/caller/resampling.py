"""Changes sample rates by whole factors, with windowed-sinc low-pass filters and no delay."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from switchboard_client.webrtc.frame import Samples

Waveform = NDArray[np.float32]
"""Mono audio between -1 and 1, shape ``(samples,)``."""

_TAPS_PER_FACTOR = 32


def _low_pass(factor: int) -> NDArray[np.float64]:
    """A linear-phase filter of gain 1 that passes the lower ``1 / factor`` of the band."""
    half = _TAPS_PER_FACTOR * factor // 2
    taps = np.sinc(np.arange(-half, half + 1) / factor) * np.blackman(2 * half + 1)
    return np.asarray(taps / taps.sum(), dtype=np.float64)


def upsampled(waveform: Waveform, factor: int) -> Waveform:
    """The same sound with ``factor`` times as many samples."""
    if not waveform.size:
        return waveform
    stuffed = np.zeros(waveform.size * factor)
    stuffed[::factor] = waveform * factor
    return _filtered(stuffed, _low_pass(factor)).astype(np.float32)


def downsampled(waveform: Waveform, factor: int) -> Waveform:
    """Every ``factor``-th sample, after removing the frequencies above the lower rate's limit."""
    if not waveform.size:
        return waveform
    filtered = _filtered(waveform.astype(np.float64), _low_pass(factor))
    return filtered[::factor].astype(np.float32)


def to_pcm(waveform: Waveform) -> Samples:
    """16-bit samples, clipped at full scale."""
    return (np.clip(waveform, -1.0, 1.0) * 32767).astype(np.int16)


def to_waveform(samples: Samples) -> Waveform:
    return np.asarray(samples / 32768, dtype=np.float32)


def _filtered(signal: NDArray[np.float64], taps: NDArray[np.float64]) -> NDArray[np.float64]:
    delay = taps.size // 2
    return np.convolve(signal, taps)[delay : delay + signal.size]
