"""Opus for one leg: mono, 48 kHz, one packet per 20 ms frame (RFC 6716, RFC 7587).

aiortc's own encoder is stereo, tuned for 96 kbit/s, and runs in a thread pool. Here one frame takes
0.07 ms, less than switching to a thread and back, so both directions run in the event loop.
"""

from __future__ import annotations

import ctypes
import weakref
from fractions import Fraction

import numpy as np

from runtime.media.audio import libopus
from runtime.media.room import Samples

SAMPLE_HZ = 48_000
SAMPLES_PER_FRAME = 960
BIT_RATE = 48_000
TIME_BASE = Fraction(1, SAMPLE_HZ)

_LONGEST_PACKET_SAMPLES = 5_760
"""120 ms (RFC 6716, section 2.1.4)."""
_LARGEST_PACKET_BYTES = 1_275
_BEST_COMPLEXITY = 10
_PROTECTED_COMPLEXITY = 5
"""What browsers use for speech. The best one would cost another tenth of a leg."""
_LEAST_LOSS_PERCENT = 1.0
"""Below that, what is lost is too little to be noticed."""
_HIGHEST_LOSS_PERCENT = 30
"""Beyond that, the copies would take too much of the bit rate from the speech itself."""

_QUIET_PEAK = 300
"""-41 dBFS."""


class OpusEncoder:
    """Encodes frame after frame of one stream.

    Without loss its application is ``lowdelay``, which has 4 ms less delay than ``voip`` and costs
    a third of it. But only ``voip`` can put a coarse copy of each frame into the next packet
    (in-band forward error correction), so after the first notable loss the
    next quiet frame switches to it for good: in speech the change would click.
    """

    def __init__(self) -> None:
        self._library = libopus.libopus()
        self._packet = ctypes.create_string_buffer(_LARGEST_PACKET_BYTES)
        self._is_protected = False
        self._expected_loss_percent = 0
        self._codec = self._opened(libopus.APPLICATION_LOWDELAY, _BEST_COMPLEXITY)

    def expect_loss(self, percent: float) -> None:
        """Protect the stream against so much loss of packets, as the receiver has reported it."""
        if percent >= _LEAST_LOSS_PERCENT or self._is_protected:
            self._expected_loss_percent = min(max(1, round(percent)), _HIGHEST_LOSS_PERCENT)
        if self._is_protected:
            self._set(self._codec, libopus.SET_PACKET_LOSS_PERCENT, self._expected_loss_percent)

    def encode(self, samples: Samples) -> bytes:
        """One packet from the samples of 10, 20, 40 or 60 ms; a leg sends ``SAMPLES_PER_FRAME``."""
        frame = np.ascontiguousarray(samples)
        if self._expected_loss_percent and not self._is_protected and _is_quiet(frame):
            self._protect()
        size = self._library.opus_encode(
            self._codec,
            frame.ctypes.data,
            frame.size,
            self._packet,
            _LARGEST_PACKET_BYTES,
        )
        assert size > 0, f"libopus refused a frame: {size}"
        return ctypes.string_at(self._packet, size)

    def _protect(self) -> None:
        self._codec = self._opened(libopus.APPLICATION_VOIP, _PROTECTED_COMPLEXITY)
        self._set(self._codec, libopus.SET_INBAND_FEC, 1)
        self._set(self._codec, libopus.SET_PACKET_LOSS_PERCENT, self._expected_loss_percent)
        self._is_protected = True

    def _opened(self, application: int, complexity: int) -> int:
        error = ctypes.c_int()
        codec = self._library.opus_encoder_create(SAMPLE_HZ, 1, application, ctypes.byref(error))
        assert error.value == libopus.OK, f"libopus made no encoder: {error.value}"
        weakref.finalize(self, self._library.opus_encoder_destroy, codec)
        self._set(codec, libopus.SET_BITRATE, BIT_RATE)
        self._set(codec, libopus.SET_COMPLEXITY, complexity)
        return int(codec)

    def _set(self, codec: int, request: int, value: int) -> None:
        result = self._library.opus_encoder_ctl(codec, request, ctypes.c_int(value))
        assert result == libopus.OK, f"libopus refused request {request}: {result}"


class OpusDecoder:
    """Decodes packet after packet of one stream, and makes up what was lost.

    All samples are mono, 48 kHz. What is made up is a multiple of 120 samples (2.5 ms) long.
    """

    def __init__(self) -> None:
        self._library = libopus.libopus()
        error = ctypes.c_int()
        self._codec = self._library.opus_decoder_create(SAMPLE_HZ, 1, ctypes.byref(error))
        assert error.value == libopus.OK, f"libopus made no decoder: {error.value}"
        weakref.finalize(self, self._library.opus_decoder_destroy, self._codec)
        self._samples = np.zeros(_LONGEST_PACKET_SAMPLES, np.int16)
        self._pointer = self._samples.ctypes.data

    def samples_in(self, payload: bytes) -> int:
        """How long a packet is; 0 if it is not Opus."""
        samples = self._library.opus_packet_get_nb_samples(payload, len(payload), SAMPLE_HZ)
        return max(0, int(samples))

    def has_copy(self, payload: bytes) -> bool:
        """Whether a packet holds a coarse copy of the frame before it."""
        return bool(self._library.opus_packet_has_lbrr(payload, len(payload)) > 0)

    def decode(self, payload: bytes) -> Samples | None:
        """All samples of the packet; ``None`` if it is not Opus."""
        return self._decoded(payload, len(payload), _LONGEST_PACKET_SAMPLES, use_copy=False)

    def recover(self, following: bytes, samples: int) -> Samples | None:
        """The ``samples`` before the packet ``following``, from the copy in it if it has one.
        Decode ``following`` itself next."""
        return self._decoded(following, len(following), samples, use_copy=True)

    def conceal(self, samples: int) -> Samples | None:
        """A continuation of the sound so far (packet loss concealment)."""
        return self._decoded(None, 0, samples, use_copy=False)

    def _decoded(
        self, payload: bytes | None, size: int, samples: int, *, use_copy: bool
    ) -> Samples | None:
        samples = self._library.opus_decode(
            self._codec, payload, size, self._pointer, samples, use_copy
        )
        return self._samples[:samples].copy() if samples > 0 else None


def _is_quiet(frame: Samples) -> bool:
    return max(int(frame.max()), -int(frame.min())) < _QUIET_PEAK
