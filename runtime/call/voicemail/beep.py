"""The tone after which an answering machine records. Pure.

Machines beep once, with one steady tone between 440 and 1,500 Hz, for 0.15 to 1 s. A voice is never
that pure for so long, keys of a phone are two tones, and so is a line that rings.
"""

from __future__ import annotations

import numpy as np

from runtime.media.room import FRAME_MS, Samples

LOWEST_HZ, HIGHEST_HZ = 430.0, 1_550.0
LEAST_MS = 140
_LEAST_RMS = 200.0
_PURITY = 0.85
"""The share of a frame's energy within one bin of its peak."""
_DRIFT_HZ = 60.0


class BeepDetector:
    """
    Args:
        sample_hz: of the frames, each ``FRAME_MS`` long.
    """

    def __init__(self, sample_hz: int) -> None:
        samples = sample_hz * FRAME_MS // 1000
        self._window = np.hanning(samples)
        self._frequencies = np.fft.rfftfreq(samples, 1 / sample_hz)
        self._tone_hz = 0.0
        self._lasted_ms = 0

    def heard(self, frame: Samples) -> bool:
        """Whether a beep has lasted long enough; once for each beep, while it still sounds."""
        tone_hz = self._tone_of(frame)
        if tone_hz is None:
            self._lasted_ms = 0
            return False
        if self._lasted_ms and abs(tone_hz - self._tone_hz) > _DRIFT_HZ:
            self._lasted_ms = 0
        self._tone_hz = tone_hz
        self._lasted_ms += FRAME_MS
        return LEAST_MS <= self._lasted_ms < LEAST_MS + FRAME_MS

    @property
    def is_sounding(self) -> bool:
        return self._lasted_ms >= LEAST_MS

    def _tone_of(self, frame: Samples) -> float | None:
        wide = frame.astype(np.float64)
        if np.sqrt(np.mean(wide**2)) < _LEAST_RMS:
            return None
        power = np.abs(np.fft.rfft(wide * self._window)) ** 2
        peak = int(np.argmax(power))
        if power[max(0, peak - 2) : peak + 3].sum() < _PURITY * power.sum():
            return None
        tone_hz = float(self._frequencies[peak])
        return tone_hz if LOWEST_HZ <= tone_hz <= HIGHEST_HZ else None
