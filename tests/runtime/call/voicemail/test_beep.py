from __future__ import annotations

import numpy as np
import pytest

from runtime.call.voicemail.beep import BeepDetector
from runtime.media.room import Samples

HZ = 48_000


def tones(seconds: float, *hz: float, amplitude: float = 4_000) -> Samples:
    times = np.arange(round(seconds * HZ)) / HZ
    sound = sum(amplitude * np.sin(2 * np.pi * each * times) for each in hz)
    return np.asarray(sound).astype(np.int16)


def beeps(sound: Samples) -> int:
    detector = BeepDetector(HZ)
    return sum(detector.heard(sound[at : at + 960]) for at in range(0, sound.size - 959, 960))


@pytest.mark.parametrize("hz", [440, 523, 850, 1_000, 1_400, 1_500])
def test_a_steady_tone_of_a_machine_is_one_beep(hz: float) -> None:
    quiet = np.zeros(9_600, np.int16)
    assert beeps(np.concatenate([quiet, tones(0.4, hz), quiet])) == 1


@pytest.mark.parametrize(
    "hz", [(350, 440), (440, 480), (770, 1_336), (852, 1_477), (120, 240, 360, 480, 600)]
)
def test_two_tones_or_a_voice_are_no_beep(hz: tuple[float, ...]) -> None:
    """A dial tone, a ringing line, keys of a phone, and the harmonics of a vowel."""
    assert beeps(tones(1.0, *hz)) == 0


@pytest.mark.parametrize("hz", [200, 300, 1_800, 3_000])
def test_tones_outside_of_what_machines_use_are_no_beep(hz: float) -> None:
    assert beeps(tones(0.5, hz)) == 0


def test_a_short_click_or_a_siren_is_no_beep() -> None:
    times = np.arange(HZ) / HZ
    siren = (4_000 * np.sin(2 * np.pi * (500 * times + 400 * times**2))).astype(np.int16)
    assert beeps(tones(0.08, 1_000)) == 0
    assert beeps(siren[: HZ // 2]) == 0


def test_noise_is_no_beep() -> None:
    noise = np.random.default_rng(1).normal(0, 3_000, HZ).astype(np.int16)
    assert beeps(noise) == 0
