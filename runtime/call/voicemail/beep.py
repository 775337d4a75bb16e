"""The tone after which an answering machine records. Pure.

Machines beep once, with one steady tone between 440 and 1,500 Hz, for 0.15 to 1 s. A voice is never
that pure for so long, keys of a phone are two tones, and so is a line that rings.
"""

from __future__ import annotations

import numpy as np

from runtime.media.room import Samples

LOWEST_HZ, HIGHEST_HZ = 430.0, 1_550.0
WINDOW_MS = 100
"""Long enough to tell the two tones of a ringing line apart, which are 40 Hz from each other."""
LEAST_FRAMES = 4
"""So many windows in a row, which makes about 0.14 s of the tone."""
_LEAST_RMS = 200.0
_BAND_HZ = (300.0, 1_700.0)
"""A hum is below it, and most of a line's noise above. The second tones of keys are within."""
_LEAST_IN_BAND = 0.15
"""The share of a window's energy. With less, it is the edge of a sound that is outside."""
_PURITY = 0.85
"""The share of the band's energy that is within ``_WIDTH_HZ`` of its peak."""
_WIDTH_HZ = 25.0
_DRIFT_HZ = 25.0
"""A siren or a voice that glides is no steady tone."""


class BeepDetector:
    """
    Args:
        sample_hz: of the frames, each 20 ms long.
    """

    def __init__(self, sample_hz: int) -> None:
        samples = sample_hz * WINDOW_MS // 1000
        self._heard = np.zeros(samples, np.float64)
        self._window = np.hanning(samples)
        self._frequencies = np.fft.rfftfreq(samples, 1 / sample_hz)
        self._in_band = (self._frequencies >= _BAND_HZ[0]) & (self._frequencies <= _BAND_HZ[1])
        self._width = round(_WIDTH_HZ * WINDOW_MS / 1000)
        self._frames = 0
        self._began_hz = 0.0

    def heard(self, frame: Samples) -> bool:
        """Whether a beep has lasted long enough; once for each beep, while it still sounds."""
        self._heard[: -frame.size] = self._heard[frame.size :]
        self._heard[-frame.size :] = frame
        tone_hz = self._tone_of(frame)
        if tone_hz is None:
            self._frames = 0
            return False
        if not self._frames or abs(tone_hz - self._began_hz) > _DRIFT_HZ:
            self._frames, self._began_hz = 0, tone_hz
        self._frames += 1
        return self._frames == LEAST_FRAMES

    @property
    def is_sounding(self) -> bool:
        return self._frames >= LEAST_FRAMES

    def _tone_of(self, newest: Samples) -> float | None:
        wide = newest.astype(np.float64)
        if np.sqrt(np.mean(wide**2)) < _LEAST_RMS:
            return None
        power = np.abs(np.fft.rfft(self._heard * self._window)) ** 2
        all_energy = power.sum()
        power[~self._in_band] = 0.0
        energy = power.sum()
        peak = int(np.argmax(power))
        near = power[max(0, peak - self._width) : peak + self._width + 1].sum()
        tone_hz = float(self._frequencies[peak])
        is_pure = near >= _PURITY * energy and energy >= _LEAST_IN_BAND * all_energy
        return tone_hz if is_pure and LOWEST_HZ <= tone_hz <= HIGHEST_HZ else None
