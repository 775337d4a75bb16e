"""One leg's voice: packets come in when the network delivers them, 20 ms frames go out.

The delay is corrected where nobody hears it: in a quiet moment a surplus frame is skipped, or a
missing frame is made up. Only if somebody talks without a pause while far too many packets wait,
one audible frame per second is skipped.
"""

from __future__ import annotations

import numpy as np

from runtime.media.jitter_buffer import JitterBuffer
from runtime.media.opus import SAMPLES_PER_FRAME, OpusDecoder
from runtime.media.playout_delay import PlayoutDelay
from runtime.media.room import Samples

QUIET_RMS = 120.0
"""-49 dBFS: the noise of a room, below any speech."""

_WINDOW_FRAMES = 50
_TOLERATED_SURPLUS_PACKETS = 1
_FADE_OUT = np.linspace(1.0, 0.0, SAMPLES_PER_FRAME, dtype=np.float32)
_SILENCE = np.zeros(SAMPLES_PER_FRAME, np.int16)


class IncomingAudio:
    """Pure apart from the decoder: ``receive`` packets, ``read`` one frame per tick."""

    def __init__(self, decoder: OpusDecoder | None = None) -> None:
        self._decoder = decoder or OpusDecoder()
        self._packets = JitterBuffer()
        self._delay = PlayoutDelay()
        self._decoded = _SILENCE[:0]
        self._last: Samples | None = None
        self._frames_in_window = 0
        self._least_surplus = _WINDOW_FRAMES

    def receive(self, sequence: int, payload: bytes) -> None:
        """Take an RTP packet's payload."""
        self._packets.push(sequence, payload)

    @property
    def waiting_packets(self) -> int:
        """Packets that wait to be played. They are the delay, apart from the frame that is due."""
        return len(self._packets)

    def read(self) -> Samples:
        """The next frame: ``SAMPLES_PER_FRAME`` samples at 48 kHz, made up if no packet came."""
        if self._last is not None and self._surplus < 1 and self._packets and _is_quiet(self._last):
            return self._last[::-1]
        frame = self._next_frame()
        while self._surplus > 0 and _is_quiet(frame):
            frame = self._next_frame()
        if self._too_much_waited_all_along():
            frame = self._next_frame()
        return frame

    @property
    def _surplus(self) -> int:
        return len(self._packets) - self._delay.target_packets

    def _too_much_waited_all_along(self) -> bool:
        self._frames_in_window += 1
        self._least_surplus = min(self._least_surplus, self._surplus)
        if self._frames_in_window < _WINDOW_FRAMES:
            return False
        least, self._frames_in_window = self._least_surplus, 0
        self._least_surplus = _WINDOW_FRAMES
        return least > _TOLERATED_SURPLUS_PACKETS

    def _next_frame(self) -> Samples:
        while self._decoded.size < SAMPLES_PER_FRAME:
            if not self._packets and self._last is not None:
                self._delay.starved()
            payload = self._packets.pop()
            samples = self._decoder.decode(payload) if payload is not None else None
            if samples is None:
                return self._conceal()
            self._delay.played(len(self._packets))
            self._decoded = np.concatenate([self._decoded, samples])
        frame, self._decoded = np.split(self._decoded, [SAMPLES_PER_FRAME])
        self._last = frame
        return frame

    def _conceal(self) -> Samples:
        """The last frame played backwards, so that there is no click, fading to silence."""
        if self._last is None:
            return _SILENCE
        mirrored = self._last[::-1] * _FADE_OUT
        self._last = None
        return mirrored.astype(np.int16)


def _is_quiet(frame: Samples) -> bool:
    wide = frame.astype(np.float32)
    return float(np.dot(wide, wide)) < QUIET_RMS**2 * frame.size
