"""Sound as phones carry it."""

from __future__ import annotations

from functools import cache

import numpy as np
from livekit import rtc
from numpy.typing import NDArray

from tests.stand_ins.voice_faults import VOICE_HZ, speech

Samples = NDArray[np.int16]

FRAME_MS = 20
PHONE_HZ = 8000
_BIAS = 33
_CLIP = 8158


@cache
def spoken(text: str) -> Samples:
    """``text`` as the offline voice says it, mono at ``PHONE_HZ``."""
    return resampled(speech(text), VOICE_HZ, PHONE_HZ)


def resampled(samples: Samples, rate: int, to_rate: int) -> Samples:
    if rate == to_rate:
        return samples
    resampler = rtc.AudioResampler(rate, to_rate)
    frame = rtc.AudioFrame(samples.tobytes(), rate, 1, samples.size)
    frames = [*resampler.push(frame), *resampler.flush()]
    return np.concatenate([np.frombuffer(each.data, np.int16) for each in frames])


def tone(hz: float, seconds: float, amplitude: int = 8000) -> Samples:
    times = np.arange(int(PHONE_HZ * seconds)) / PHONE_HZ
    return (amplitude * np.sin(2 * np.pi * hz * times)).astype(np.int16)


def silence(seconds: float) -> Samples:
    return np.zeros(int(PHONE_HZ * seconds), np.int16)


def doubled(samples: Samples) -> Samples:
    """At twice the rate."""
    following = np.append(samples[1:], samples[-1:]).astype(np.int32)
    between = ((samples.astype(np.int32) + following) // 2).astype(np.int16)
    return np.stack([samples, between], axis=1).reshape(-1)


def halved(samples: Samples) -> Samples:
    """At half the rate."""
    pairs = samples[: samples.size // 2 * 2].reshape(-1, 2).astype(np.int32)
    return (pairs.sum(axis=1) // 2).astype(np.int16)


def to_mulaw(samples: Samples) -> bytes:
    """G.711 µ-law. Source: ITU-T Recommendation G.711."""
    wide = samples.astype(np.int32)
    magnitude = np.minimum(np.abs(wide) >> 2, _CLIP) + _BIAS
    segment = np.floor(np.log2(magnitude)).astype(np.int32) - 5
    step = (magnitude >> (segment + 1)) & 0x0F
    code = (segment << 4) | step | np.where(wide < 0, 0x80, 0)
    return bytes((~code & 0xFF).astype(np.uint8).tobytes())


def from_mulaw(payload: bytes) -> Samples:
    code = ~np.frombuffer(payload, np.uint8).astype(np.int32) & 0xFF
    magnitude = ((((code & 0x0F) << 1) + _BIAS << ((code >> 4) & 0x07)) - _BIAS) << 2
    return np.where(code & 0x80, -magnitude, magnitude).astype(np.int16)
