"""The codecs of phone lines: G.711 µ-law, and linear PCM (L16), in frames of 20 ms.

The tables of µ-law follow ITU-T G.711: a sign, three bits of the segment and four of the step, all
inverted on the wire.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
from numpy.typing import NDArray

from contracts.phone_media import LegFormat
from runtime.media.audio.opus import SAMPLE_HZ
from runtime.media.audio.resampling import Resampler
from runtime.media.room import Samples

_BIAS = 132
_LOUDEST = 32_635


@cache
def _mulaw_to_linear() -> NDArray[np.int16]:
    """``(256,)``: the sample of each byte."""
    byte = ~np.arange(256, dtype=np.uint8)
    segment, step = (byte >> 4) & 7, byte & 15
    magnitude = (((step.astype(np.int32) << 3) + _BIAS) << segment) - _BIAS
    return np.where(byte & 0x80, -magnitude, magnitude).astype(np.int16)


@cache
def _linear_to_mulaw() -> NDArray[np.uint8]:
    """``(65536,)``: the byte of each sample, by its 16 bits."""
    sample = np.arange(65_536, dtype=np.uint16).view(np.int16).astype(np.int32)
    magnitude = np.minimum(np.abs(sample), _LOUDEST) + _BIAS
    segment = np.floor(np.log2(magnitude)).astype(np.int32) - 7
    step = (magnitude >> (segment + 3)) & 15
    sign = np.where(sample < 0, 0x80, 0)
    code: NDArray[np.uint8] = (~(sign | segment << 4 | step) & 0xFF).astype(np.uint8)
    return code


def decode_mulaw(payload: bytes) -> Samples:
    return _mulaw_to_linear()[np.frombuffer(payload, np.uint8)]


def encode_mulaw(samples: Samples) -> bytes:
    return _linear_to_mulaw()[np.ascontiguousarray(samples).view(np.uint16)].tobytes()


class TelephoneDecoder:
    """Decodes one leg's frames to 48 kHz. Implements ``incoming_audio.PacketDecoder``.

    Frames come over a connection that loses none, so there is nothing to recover. What is missing
    is late, and silence stands in for it.
    """

    def __init__(
        self, leg_format: LegFormat, heard: Callable[[Samples], Samples] = lambda samples: samples
    ) -> None:
        """
        Args:
            heard: may change each decoded frame, at the leg's own rate.
        """
        self._format = leg_format
        self._heard = heard
        self._resampler = Resampler(leg_format.sample_hz, SAMPLE_HZ)
        self._samples = self._resampler.frame_samples * SAMPLE_HZ // leg_format.sample_hz

    def samples_in(self, payload: bytes) -> int:
        return self._samples if len(payload) == self._format.frame_bytes else 0

    def has_copy(self, payload: bytes) -> bool:
        return False

    def decode(self, payload: bytes) -> Samples | None:
        if len(payload) != self._format.frame_bytes:
            return None
        is_mulaw = self._format.encoding == "mulaw"
        narrow = decode_mulaw(payload) if is_mulaw else np.frombuffer(payload, "<i2")
        return self._resampler.convert(self._heard(narrow)).copy()

    def recover(self, following: bytes, samples: int) -> Samples | None:
        return None

    def conceal(self, samples: int) -> Samples | None:
        return None


class TelephoneEncoder:
    """Encodes what one leg hears, from frames of 20 ms at 48 kHz."""

    def __init__(
        self, leg_format: LegFormat, sent: Callable[[Samples], None] = lambda _: None
    ) -> None:
        """
        Args:
            sent: is told each frame, at the leg's own rate.
        """
        self._sent = sent
        self._is_mulaw = leg_format.encoding == "mulaw"
        self._resampler = Resampler(SAMPLE_HZ, leg_format.sample_hz)

    def encode(self, samples: Samples) -> bytes:
        narrow = self._resampler.convert(samples)
        self._sent(narrow)
        return encode_mulaw(narrow) if self._is_mulaw else narrow.astype("<i2").tobytes()
