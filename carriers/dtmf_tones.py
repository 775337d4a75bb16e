"""Keys as sound, for a carrier that has no other way to send them. Pure.

Sources: ITU-T Q.23 (frequencies) and Q.24 (durations).
"""

from __future__ import annotations

import math
import struct

from carriers.dialect import AudioFormat, Encoding
from carriers.mulaw import to_mulaw

TONE_MS = 100
PAUSE_MS = 100
_LOW_HZ = (697, 770, 852, 941)
_HIGH_HZ = (1209, 1336, 1477, 1633)
_KEYPAD = ("123A", "456B", "789C", "*0#D")
_LOW_AMPLITUDE = 6000
_HIGH_AMPLITUDE = 7500
"""The high tone 2 dB louder, because lines dampen it more."""


def dtmf_sound(digits: str, audio_format: AudioFormat) -> bytes:
    """Each key for 100 ms, with 100 ms of silence after it.

    Raises:
        ValueError: ``digits`` has a character that is no key.
    """
    silence = audio_format.silence * (audio_format.sample_rate * PAUSE_MS // 1000)
    return b"".join(_tone(digit, audio_format) + silence for digit in digits)


def _tone(digit: str, audio_format: AudioFormat) -> bytes:
    low_hz, high_hz = _frequencies(digit)
    rate = audio_format.sample_rate
    samples = [
        round(
            _LOW_AMPLITUDE * math.sin(2 * math.pi * low_hz * place / rate)
            + _HIGH_AMPLITUDE * math.sin(2 * math.pi * high_hz * place / rate)
        )
        for place in range(rate * TONE_MS // 1000)
    ]
    if audio_format.encoding is Encoding.MULAW:
        return bytes(to_mulaw(sample) for sample in samples)
    return struct.pack(f"<{len(samples)}h", *samples)


def _frequencies(digit: str) -> tuple[int, int]:
    for row, keys in enumerate(_KEYPAD):
        if len(digit) == 1 and (column := keys.find(digit.upper())) >= 0:
            return _LOW_HZ[row], _HIGH_HZ[column]
    raise ValueError(f"{digit!r} is no key of a phone")
