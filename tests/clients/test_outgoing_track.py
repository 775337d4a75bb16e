"""What the client's microphone sends: every sound as it is, and lasting silence for little."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from av import AudioFrame, CodecContext, Packet

from switchboard_client.webrtc.frame import FRAME_SAMPLES, Samples, silence
from switchboard_client.webrtc.outgoing_track import OutgoingTrack

INAUDIBLE = 4
"""Of 32,767."""
TONE = (8_000 * np.sin(np.arange(FRAME_SAMPLES) * 2 * np.pi * 440 / 48_000)).astype(np.int16)


class Frames:
    """A ``SoundSource``."""

    def __init__(self, frames: Iterable[Samples]) -> None:
        self._frames = iter(frames)

    def next_frame(self, sent_at: float) -> Samples:
        return next(self._frames)


async def packets_of(frames: list[Samples]) -> list[Packet]:
    track = OutgoingTrack(Frames(frames))
    track._started_at = -1_000.0  # Every frame is late, so that none is waited for.
    return [await track.recv() for _ in frames]


def loudness(packets: list[Packet]) -> list[float]:
    decoder = CodecContext.create("libopus", "r")
    found = []
    for packet in packets:
        for frame in decoder.decode(packet):
            assert isinstance(frame, AudioFrame)
            found.append(float(np.abs(frame.to_ndarray()).max()))
    return found


async def test_lasting_silence_is_one_packet_again_and_again() -> None:
    packets = await packets_of([silence()] * 40)
    assert len({bytes(packet) for packet in packets[10:]}) == 1
    assert max(loudness(packets)) <= INAUDIBLE


async def test_sound_after_silence_is_heard_at_once_and_to_its_end() -> None:
    frames = [silence()] * 30 + [TONE] * 30 + [silence()] * 30
    heard = loudness(await packets_of(frames))
    assert max(heard[:30]) <= INAUDIBLE
    assert min(heard[32:60]) > 1_000
    assert max(heard[65:]) < 300


async def test_the_packets_times_go_on_through_silence() -> None:
    packets = await packets_of([TONE] * 5 + [silence()] * 30 + [TONE] * 5)
    assert [packet.pts for packet in packets] == [n * FRAME_SAMPLES for n in range(40)]
