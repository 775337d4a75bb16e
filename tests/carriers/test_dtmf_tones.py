from __future__ import annotations

import math
import struct

import pytest

from carriers.dialect import DTMF_DIGITS, L16_8000, L16_16000, MULAW_8000, AudioFormat, Encoding
from carriers.dtmf_tones import PAUSE_MS, TONE_MS, dtmf_sound
from carriers.mulaw import from_mulaw

FREQUENCIES = {
    "1": (697, 1209),
    "2": (697, 1336),
    "3": (697, 1477),
    "A": (697, 1633),
    "4": (770, 1209),
    "5": (770, 1336),
    "6": (770, 1477),
    "B": (770, 1633),
    "7": (852, 1209),
    "8": (852, 1336),
    "9": (852, 1477),
    "C": (852, 1633),
    "*": (941, 1209),
    "0": (941, 1336),
    "#": (941, 1477),
    "D": (941, 1633),
}
ALL_HZ = sorted({hz for pair in FREQUENCIES.values() for hz in pair})


def _samples(sound: bytes, audio_format: AudioFormat) -> list[int]:
    if audio_format.encoding is Encoding.MULAW:
        return [from_mulaw(code) for code in sound]
    return list(struct.unpack(f"<{len(sound) // 2}h", sound))


def _strength(samples: list[int], hz: int, rate: int) -> float:
    angles = [2 * math.pi * hz * place / rate for place in range(len(samples))]
    real = sum(sample * math.cos(angle) for sample, angle in zip(samples, angles, strict=True))
    imaginary = sum(sample * math.sin(angle) for sample, angle in zip(samples, angles, strict=True))
    return math.hypot(real, imaginary) / len(samples)


@pytest.mark.parametrize("audio_format", [MULAW_8000, L16_8000, L16_16000], ids=str)
@pytest.mark.parametrize("digit", sorted(DTMF_DIGITS))
def test_each_key_is_its_two_tones_and_no_other(digit: str, audio_format: AudioFormat) -> None:
    rate = audio_format.sample_rate
    samples = _samples(dtmf_sound(digit, audio_format), audio_format)
    tone = samples[: rate * TONE_MS // 1000]
    strengths = {hz: _strength(tone, hz, rate) for hz in ALL_HZ}
    loudest = sorted(strengths, key=lambda hz: -strengths[hz])
    assert set(loudest[:2]) == set(FREQUENCIES[digit])
    assert strengths[loudest[2]] < strengths[loudest[1]] / 5


def test_keys_are_whole_frames_with_silence_between_them() -> None:
    sound = dtmf_sound("12", MULAW_8000)
    assert len(sound) % MULAW_8000.frame_bytes == 0
    assert MULAW_8000.duration_ms(len(sound)) == 2 * (TONE_MS + PAUSE_MS)
    assert set(sound[800:1600]) == {0xFF}


@pytest.mark.parametrize("digits", ["x", "1 2", "é"])
def test_what_is_no_key_is_refused(digits: str) -> None:
    with pytest.raises(ValueError, match="no key"):
        dtmf_sound(digits, MULAW_8000)
