"""One leg's voice: packets come in when the network delivers them, 20 ms frames go out.

A lost packet is decoded from the copy in the next one, if the sender puts copies there (in-band
forward error correction, RFC 6716 section 2.1.7). For that the next packet has to be there, so the
first loss makes one packet wait from then on. Without a copy the decoder continues the sound, which
fades out if nothing comes.

The delay is corrected where nobody hears it: in a quiet moment a surplus frame is skipped, or a
missing frame is made up. Only if somebody talks without a pause while far too much waits, one
audible frame per second is skipped.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np

from runtime.media.audio.jitter_buffer import CAPACITY_SAMPLES, JitterBuffer, Packet, Turn
from runtime.media.audio.opus import SAMPLES_PER_FRAME, OpusDecoder
from runtime.media.audio.playout_delay import PlayoutDelay
from runtime.media.room import Samples

QUIET_RMS = 120.0
"""-49 dBFS: the noise of a room, below any speech."""

_WINDOW_FRAMES = 50
_TOLERATED_SURPLUS_SAMPLES = SAMPLES_PER_FRAME
_FADE_AFTER_SAMPLES = 960
_SILENT_AFTER_SAMPLES = 4_800
"""Sound that is made up for longer than a syllable misleads a listener."""
_FADE_IN_SAMPLES = 120
_SILENCE = np.zeros(SAMPLES_PER_FRAME, np.int16)


class PacketDecoder(Protocol):
    """The codec of one leg. All samples are mono, 48 kHz."""

    def samples_in(self, payload: bytes) -> int:
        """How long a packet is; 0 if it cannot be decoded."""

    def has_copy(self, payload: bytes) -> bool:
        """Whether a packet holds a copy of the one before it."""

    def decode(self, payload: bytes) -> Samples | None:
        """All samples of the packet; ``None`` if it cannot be decoded."""

    def recover(self, following: bytes, samples: int) -> Samples | None:
        """The ``samples`` before the packet ``following``, from the copy in it."""

    def conceal(self, samples: int) -> Samples | None:
        """A continuation of the sound so far; ``None``: silence."""


class IncomingAudio:
    """Pure apart from the decoder: ``receive`` packets, ``read`` one frame per tick."""

    def __init__(self, decoder: PacketDecoder | None = None) -> None:
        self._decoder: PacketDecoder = decoder or OpusDecoder()
        self._packets = JitterBuffer()
        self._delay = PlayoutDelay()
        self._decoded = _SILENCE[:0]
        self._last = _SILENCE
        self._packet_samples = 0
        """The length of the last packet that was played; 0 before the first one."""
        self._made_up_samples = 0
        """Since the last packet."""
        self._frames_in_window = 0
        self._least_surplus = CAPACITY_SAMPLES

    def receive(self, sequence: int, payload: bytes) -> None:
        """Take an RTP packet's payload. One that cannot be decoded counts as lost."""
        if not (samples := self._decoder.samples_in(payload)):
            return
        late_samples = self._packets.push(sequence, Packet(payload, samples))
        if late_samples:
            self._delay.late(late_samples + self._packets.waiting_samples)

    @property
    def waiting_packets(self) -> int:
        """Packets that wait to be played. They are the delay, apart from the frame that is due."""
        return len(self._packets)

    def read(self) -> Samples:
        """The next frame: ``SAMPLES_PER_FRAME`` samples at 48 kHz, made up if no packet came."""
        if self._lacks_delay and not self._made_up_samples and _is_quiet(self._last):
            return self._last[::-1]
        frame = self._next_frame()
        while self._surplus_samples >= SAMPLES_PER_FRAME and _is_quiet(frame):
            frame = self._next_frame()
        if self._too_much_waited_all_along():
            frame = self._next_frame()
        return frame

    @property
    def _surplus_samples(self) -> int:
        return self._packets.waiting_samples - self._delay.target_samples

    @property
    def _lacks_delay(self) -> bool:
        """Whether playing a frame now would leave far less than the target. Jitter makes what waits
        vary by about half of it."""
        remaining = self._decoded.size + self._surplus_samples - SAMPLES_PER_FRAME
        is_short = remaining < -self._delay.target_samples // 2
        return bool(self._packets) and self._packet_samples > 0 and is_short

    def _too_much_waited_all_along(self) -> bool:
        self._frames_in_window += 1
        self._least_surplus = min(self._least_surplus, self._surplus_samples)
        if self._frames_in_window < _WINDOW_FRAMES:
            return False
        least, self._frames_in_window = self._least_surplus, 0
        self._least_surplus = CAPACITY_SAMPLES
        return least > _TOLERATED_SURPLUS_SAMPLES

    def _next_frame(self) -> Samples:
        while (missing := SAMPLES_PER_FRAME - self._decoded.size) > 0:
            turn = self._packets.pop(missing)
            self._decoded = np.concatenate([self._decoded, self._sound_of(turn, missing)])
        self._last, self._decoded = np.split(self._decoded, [SAMPLES_PER_FRAME])
        return self._last

    def _sound_of(self, turn: Turn, missing_samples: int) -> Samples:
        if turn.packet is not None:
            return self._played(turn.packet, after_loss=turn.skipped)
        if not self._packet_samples:
            return _SILENCE[:missing_samples]
        if not self._packets:
            self._delay.starved()
            return self._made_up(missing_samples)
        if turn.following is None or not self._decoder.has_copy(turn.following.payload):
            return self._made_up(self._packet_samples)
        self._delay.recoverable(self._packet_samples)
        recovered = self._decoder.recover(turn.following.payload, self._packet_samples)
        return self._faded_in(recovered, self._packet_samples)

    def _played(self, packet: Packet, *, after_loss: bool) -> Samples:
        if after_loss and self._decoder.has_copy(packet.payload):
            self._delay.recoverable(packet.samples)
        self._delay.played(packet.samples, self._packets.waiting_samples)
        self._packet_samples = packet.samples
        return self._faded_in(self._decoder.decode(packet.payload), packet.samples)

    def _faded_in(self, decoded: Samples | None, samples: int) -> Samples:
        """Without a click if what was made up before had faded out."""
        if decoded is None:
            return self._made_up(samples)
        heard = _gain(self._made_up_samples)
        if heard < 1:
            rise = np.linspace(heard, 1.0, _FADE_IN_SAMPLES)
            decoded[:_FADE_IN_SAMPLES] = (decoded[:_FADE_IN_SAMPLES] * rise).astype(np.int16)
        self._made_up_samples = 0
        return decoded

    def _made_up(self, samples: int) -> Samples:
        begin, end = self._made_up_samples, self._made_up_samples + samples
        self._made_up_samples = end
        if begin >= _SILENT_AFTER_SAMPLES:
            return np.zeros(samples, np.int16)
        continued = self._decoder.conceal(samples)
        if continued is None or end <= _FADE_AFTER_SAMPLES:
            return np.zeros(samples, np.int16) if continued is None else continued
        fade = np.linspace(_gain(begin), _gain(end), samples, dtype=np.float32)
        return (continued * fade).astype(np.int16)


def _gain(made_up_samples: int) -> float:
    """How loud it is after so much was made up."""
    fading = made_up_samples - _FADE_AFTER_SAMPLES
    return min(1.0, max(0.0, 1 - fading / (_SILENT_AFTER_SAMPLES - _FADE_AFTER_SAMPLES)))


def _is_quiet(frame: Samples) -> bool:
    wide = frame.astype(np.float32)
    return float(np.dot(wide, wide)) < QUIET_RMS**2 * frame.size
