"""Sends the caller's sound: one Opus packet every 20 ms by the monotonic clock."""

from __future__ import annotations

import asyncio
import time
from fractions import Fraction
from typing import Protocol, cast

from aiortc.mediastreams import MediaStreamError, MediaStreamTrack
from av import AudioCodecContext, AudioFrame, AudioStream, CodecContext, Packet

from switchboard_client.webrtc.frame import FRAME_SAMPLES, FRAME_SECONDS, SAMPLE_RATE_HZ, Samples

_BIT_RATE = 48_000
_OPTIONS = {
    "application": "voip",
    "compression_level": "5",  # What browsers use for speech.
    "fec": "1",
    "packet_loss": "20",
}
"""Each packet holds a coarse copy of the one before, which the room plays if that one is lost.
aiortc's own encoder makes none."""
_SETTLED_FRAMES = 10
"""Of silence. After so many the encoder repeats itself."""
_TIME_BASE = Fraction(1, SAMPLE_RATE_HZ)


class SoundSource(Protocol):
    """Where the caller's sound comes from, for example a microphone."""

    def next_frame(self, sent_at: float) -> Samples:
        """The frame that is handed to the sender at ``sent_at``, monotonic seconds."""


class OutgoingTrack(MediaStreamTrack):
    """Paces ``source`` in real time.

    The first frame fixes the schedule, so that delays do not add up. Late frames are sent at once,
    and the source gets the time at which each is really sent.
    """

    kind = "audio"

    def __init__(self, source: SoundSource) -> None:
        super().__init__()
        self._source = source
        self._frame_index = 0
        self._started_at: float | None = None
        self._encoder = _opus_encoder()
        self._silent_frames = 0
        self._silent_packet = b""

    async def recv(self) -> Packet[AudioStream]:
        if self.readyState != "live":
            raise MediaStreamError
        if self._started_at is None:
            self._started_at = time.monotonic()
        due_at = self._started_at + self._frame_index * FRAME_SECONDS
        if (wait_seconds := due_at - time.monotonic()) > 0:
            await asyncio.sleep(wait_seconds)
        packet = self._encoded(self._source.next_frame(time.monotonic()))
        # The encoder counts from the beginning of its look-ahead, which is before zero.
        packet.pts = self._frame_index * FRAME_SAMPLES
        packet.time_base = _TIME_BASE
        self._frame_index += 1
        return packet

    def _encoded(self, samples: Samples) -> Packet[AudioStream]:
        """Lasting silence is encoded once: most of a call is somebody listening."""
        self._silent_frames = 0 if samples.any() else self._silent_frames + 1
        if self._silent_frames > _SETTLED_FRAMES:
            return cast("Packet[AudioStream]", Packet(self._silent_packet))
        frame = AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate = SAMPLE_RATE_HZ
        frame.time_base = _TIME_BASE
        frame.pts = self._frame_index * FRAME_SAMPLES
        [packet] = self._encoder.encode(frame)
        if self._silent_frames == _SETTLED_FRAMES:
            self._silent_packet = bytes(packet)
        return packet


def _opus_encoder() -> AudioCodecContext:
    encoder = CodecContext.create("libopus", "w")
    encoder.format = "s16"
    encoder.layout = "mono"
    encoder.sample_rate = SAMPLE_RATE_HZ
    encoder.bit_rate = _BIT_RATE
    encoder.options = dict(_OPTIONS)
    return encoder
