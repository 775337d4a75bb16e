"""Sounds of callers that are no words, at 16 kHz and as loud as ``speech.spoken``."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

HZ = 16_000
_LOUDNESS = 2_500
"""Root mean square of the loud half."""

Samples = NDArray[np.int16]
_Wave = NDArray[np.float64]


def murmur(pitch_hz: float) -> Samples:
    """ "Mhm": two hums through the nose, a breath between them, the second higher."""
    first = _hum(0.22, pitch_hz * 0.95)
    second = _hum(0.22, pitch_hz * 1.25)
    breath = _filtered(_noise(0.1), low_hz=200, high_hz=500) * 0.05
    return _as_loud(np.concatenate([first, breath, second]))


def cough() -> Samples:
    """A burst of noise from an open throat, and a weaker one."""
    burst = _filtered(_noise(0.3), low_hz=300, high_hz=3_400)
    burst *= np.exp(-_times(burst) / 0.08)
    pause = np.zeros(HZ // 10)
    return _as_loud(np.concatenate([burst, pause, burst * 0.8]))


def door() -> Samples:
    thump = _filtered(_noise(0.6), low_hz=30, high_hz=300)
    click = _noise(0.6) * np.exp(-_times(thump) / 0.006)
    return _as_loud(thump * np.exp(-_times(thump) / 0.08) + click)


def music(seconds: float) -> Samples:
    """Chords of four strings that are plucked twice a second."""
    beat = HZ // 2
    chords = ((220, 277, 330, 440), (196, 247, 294, 392), (175, 220, 262, 349))
    beats = [_plucked(chords[n % 3], beat) for n in range(round(seconds * 2))]
    return _as_loud(np.concatenate(beats))


def quieter(samples: Samples, db: float) -> Samples:
    return (samples * 10 ** (-db / 20)).astype(np.int16)


def _hum(seconds: float, pitch_hz: float) -> _Wave:
    """A nasal murmur: one resonance near 260 Hz, and almost nothing above it."""
    times = np.arange(round(seconds * HZ)) / HZ
    wave = np.zeros_like(times)
    for harmonic in range(1, int(3_000 / pitch_hz)):
        hz = harmonic * pitch_hz
        strength = 1 / (1 + ((hz - 260) / 60) ** 2) + 0.01 / (1 + ((hz - 1_000) / 150) ** 2)
        wave += strength * np.sin(2 * np.pi * hz * times)
    ramp = np.minimum(1, np.minimum(times, times[-1] - times) / 0.03)
    return wave * ramp


def _plucked(chord: tuple[int, ...], samples: int) -> _Wave:
    times = np.arange(samples) / HZ
    return sum(
        np.sin(2 * np.pi * hz * overtone * times) * np.exp(-times * 3 * overtone) / overtone
        for hz in chord
        for overtone in range(1, 6)
    ) * np.ones(samples)


def _noise(seconds: float) -> _Wave:
    return np.random.default_rng(1).standard_normal(round(seconds * HZ))


def _filtered(wave: _Wave, *, low_hz: float, high_hz: float) -> _Wave:
    spectrum = np.fft.rfft(wave)
    frequencies = np.fft.rfftfreq(wave.size, 1 / HZ)
    spectrum[(frequencies < low_hz) | (frequencies > high_hz)] = 0
    return np.fft.irfft(spectrum, wave.size)


def _times(wave: _Wave) -> _Wave:
    return np.arange(wave.size) / HZ


def _as_loud(wave: _Wave) -> Samples:
    loud = np.sort(np.abs(wave))[wave.size // 2 :]
    scaled = wave * _LOUDNESS / np.sqrt(np.mean(loud**2))
    return np.clip(scaled, -32_768, 32_767).astype(np.int16)
