"""Sample rate conversion, frame by frame, with a fixed and small delay.

A windowed-sinc filter in polyphase form (Crochiere & Rabiner, "Multirate Digital Signal
Processing"): every output sample is one dot product, for any ratio. A frame is cut into blocks that
have the same filters, so that a frame is one product of two small matrices. Unlike a streaming
converter, it returns one frame for each frame. Its delay is half the filter, at most 1 ms.
"""

from __future__ import annotations

from math import gcd

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from runtime.media.room import Samples

_TAPS_PER_PHASE = 32
_KAISER_BETA = 7.0
"""A stop band at about -70 dB, below what telephone and voice codecs keep."""

_PASS_BAND = 0.92
"""The share of the narrower side's bandwidth that is kept. The rest is the transition band."""

_MOST_PERIODS_IN_BLOCK = 16
"""A period is the least number of samples that is whole on both sides. Larger blocks multiply more
zeros, smaller ones copy more samples twice."""


class Resampler:
    """Converts one mono stream and keeps the filter's state between frames."""

    def __init__(self, source_hz: int, target_hz: int, frame_ms: int = 20) -> None:
        """
        Raises:
            ValueError: a frame of ``frame_ms`` is not a whole number of samples on both sides.
        """
        if source_hz * frame_ms % 1000 or target_hz * frame_ms % 1000:
            raise ValueError(
                f"{frame_ms} ms is not a whole number of samples at {source_hz} and {target_hz} Hz"
            )
        divisor = gcd(source_hz, target_hz)
        up, down = target_hz // divisor, source_hz // divisor
        bank = _polyphase_bank(up, down)
        taps = bank.shape[1]
        self.frame_samples = source_hz * frame_ms // 1000
        self._signal = np.zeros(taps - 1 + self.frame_samples, np.float32)
        periods = _block_periods(self.frame_samples // down)
        self._filters = _block_filters(bank, down, periods)
        windows = sliding_window_view(self._signal, self._filters.shape[0])
        self._windows = windows[:: periods * down]
        self._silence = np.zeros(target_hz * frame_ms // 1000, np.int16)
        self.delay_seconds = (taps * up - 1) / 2 / (source_hz * up)

    def convert(self, frame: Samples) -> Samples:
        """``(frame_samples,)`` at the source rate to one frame at the target rate."""
        self._signal[: -self.frame_samples] = self._signal[self.frame_samples :]
        self._signal[-self.frame_samples :] = frame
        if not self._signal.any():
            return self._silence
        # Overlapping rows are copied first, because matrix products want rows apart.
        converted = np.ascontiguousarray(self._windows) @ self._filters
        np.rint(converted, out=converted)
        # For so few samples, what ``np.clip`` does around the same work takes longer than it.
        np.maximum(converted, -32768, out=converted)
        np.minimum(converted, 32767, out=converted)
        saturated: Samples = converted.ravel().astype(np.int16)
        return saturated


def _block_periods(periods: int) -> int:
    """How many of a frame's ``periods`` make a block."""
    return max(n for n in range(1, _MOST_PERIODS_IN_BLOCK + 1) if periods % n == 0)


def _block_filters(bank: NDArray[np.float32], down: int, periods: int) -> NDArray[np.float32]:
    """``(samples, outputs)``: a block's outputs from its samples and the ``taps - 1`` before."""
    up, taps = bank.shape
    filters = np.zeros((taps - 1 + periods * down, periods * up), np.float32)
    for output in range(periods * up):
        first_sample, phase = divmod(output * down, up)
        filters[first_sample : first_sample + taps, output] = bank[phase]
    return filters


def _polyphase_bank(up: int, down: int) -> NDArray[np.float32]:
    """Filters ``(up, taps)``, newest sample last, each with a gain of one for a constant."""
    taps = _TAPS_PER_PHASE * max(1, -(-down // up))
    length = taps * up
    times = np.arange(length) - (length - 1) / 2
    cutoff = _PASS_BAND / max(up, down)
    prototype = np.sinc(times * cutoff) * np.kaiser(length, _KAISER_BETA)
    bank = prototype.reshape(taps, up).T[:, ::-1]
    normalised: NDArray[np.float32] = (bank / bank.sum(axis=1, keepdims=True)).astype(np.float32)
    return normalised
