"""A caller in the test's own process: a real aiortc peer that says a tone and records what it
hears, packet by packet as it arrives."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import count
from uuid import UUID, uuid4

import numpy as np
from aiortc import (
    RTCBundlePolicy,
    RTCConfiguration,
    RTCPeerConnection,
    RTCSessionDescription,
)
from aiortc.rtp import RtpPacket

from contracts.call_plan import PlannedParticipant
from contracts.live_messages import DATA_CHANNEL_LABEL
from runtime.media.audio.opus import SAMPLE_HZ, SAMPLES_PER_FRAME, OpusDecoder, OpusEncoder
from runtime.media.audio.outgoing_track import OutgoingTrack
from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_internals import (
    gather_candidates,
    ice_connection,
    keep_reporting,
    tap_packets,
)
from runtime.media.network.ice_addresses import local_ice_addresses
from runtime.media.room import Samples
from runtime.media.room_clock import MonotonicClock, ticks


def tone(hz: float, rate: int, seconds: float) -> Samples:
    times = np.arange(round(rate * seconds)) / rate
    return (6_000 * np.sin(2 * np.pi * hz * times)).astype(np.int16)


def tone_level(samples: Samples, hz: float, rate: int) -> float:
    """The amplitude of the tone in ``samples``."""
    times = np.arange(samples.size) / rate
    return float(2 * np.abs(np.dot(samples, np.exp(-2j * np.pi * hz * times))) / samples.size)


@dataclass(frozen=True)
class Heard:
    at: float
    samples: Samples


class LoopbackPeer:
    def __init__(self, participant_id: UUID | None = None) -> None:
        self.participant = PlannedParticipant(
            participant_id=participant_id or uuid4(), transport="webrtc", identity="caller"
        )
        self.heard: list[Heard] = []
        self.packets: list[bytes] = []
        self.messages: list[str] = []
        self.connection = RTCPeerConnection(
            RTCConfiguration(iceServers=[], bundlePolicy=RTCBundlePolicy.MAX_BUNDLE)
        )
        self._track = OutgoingTrack()
        self._decoder = OpusDecoder()
        self._packets = 0
        self._voice: Samples | None = None
        self._speaking: asyncio.Task[None] | None = None
        self.connection.addTrack(self._track)
        self._channel = self.connection.createDataChannel(DATA_CHANNEL_LABEL)
        self._channel.on("message", self.messages.append)

    @property
    def participant_id(self) -> UUID:
        return self.participant.participant_id

    async def offer(self) -> str:
        await gather_candidates(self.connection, local_ice_addresses())
        await self.connection.setLocalDescription()
        return self.connection.localDescription.sdp

    async def join(self, room: LocalRoom) -> None:
        await self.accept(await room.answer_offer(self.participant, await self.offer()))

    async def accept(self, answer: str) -> None:
        (transceiver,) = self.connection.getTransceivers()
        tap_packets(transceiver.receiver, self._receive)
        keep_reporting(transceiver.receiver)
        await self.connection.setRemoteDescription(RTCSessionDescription(answer, "answer"))
        self._speaking = asyncio.create_task(self._speak())

    def say(self, hz: float | None) -> None:
        """A tone, or silence, from the next frame on, without end."""
        self._voice = None if hz is None else tone(hz, SAMPLE_HZ, 1.0)

    def first_heard(self, hz: float, since: float) -> float | None:
        """When, after ``since``, the first frame with the tone came."""
        loud = (x.at for x in self.heard if x.at >= since and _level(x, hz) > 1_000)
        return next(loud, None)

    def last_heard(self, hz: float, since: float) -> float | None:
        loud = [x.at for x in self.heard if x.at >= since and _level(x, hz) > 1_000]
        return loud[-1] if loud else None

    def level(self, hz: float, last_seconds: float = 0.4) -> float:
        """The tone's amplitude in what was heard last."""
        recent = [x.samples for x in self.heard[-round(last_seconds * 50) :]]
        return tone_level(np.concatenate(recent), hz, SAMPLE_HZ) if recent else 0.0

    def lose_every_fifth_packet(self) -> None:
        """Of those that come, from now on."""
        connection = ice_connection(self.connection)
        take, numbers = connection.data_received, count()

        def take_some(datagram: bytes, component: int) -> None:
            if next(numbers) % 5:
                take(datagram, component)

        connection.data_received = take_some

    def vanish(self) -> None:
        """Lose the network: nothing is sent or received any more, and nobody is told."""
        if self._speaking is not None:
            self._speaking.cancel()
        for protocol in ice_connection(self.connection)._protocols:
            protocol.transport.abort()

    def cut_off(self) -> Callable[[], None]:
        """Lose the network, and get it back with what is returned. Nobody is told."""
        protocols = ice_connection(self.connection)._protocols
        for protocol in protocols:
            protocol.transport.sendto = protocol.datagram_received = lambda *_: None

        def give_back() -> None:
            for protocol in protocols:
                del protocol.transport.sendto, protocol.datagram_received

        return give_back

    def hear_nothing(self) -> None:
        """What is sent to this peer does not arrive any more."""
        for protocol in ice_connection(self.connection)._protocols:
            protocol.datagram_received = lambda *_: None

    def stop_sending(self) -> None:
        """Send no sound, not even silence. What the other side asks is answered."""
        if self._speaking is not None:
            self._speaking.cancel()

    def send_again(self) -> None:
        self._speaking = asyncio.create_task(self._speak())

    async def close(self) -> None:
        if self._speaking is not None:
            self._speaking.cancel()
            await asyncio.wait([self._speaking])
        await self.connection.close()

    async def _speak(self) -> None:
        encoder = OpusEncoder()
        silence = np.zeros(SAMPLES_PER_FRAME, np.int16)
        async for tick in ticks(MonotonicClock()):
            frame = silence
            if self._voice is not None:
                frame = np.split(self._voice, 50)[tick.index % 50]
            self._track.send(encoder.encode(frame), tick.index * SAMPLES_PER_FRAME)

    def _receive(self, packet: RtpPacket) -> None:
        samples = self._decoder.decode(packet.payload)
        assert samples is not None
        self.packets.append(packet.payload)
        self.heard.append(Heard(time.monotonic(), samples))


def send_late(peer: RTCPeerConnection, seconds: float) -> None:
    """Everything that the peer sends from now on arrives so much later."""
    loop = asyncio.get_running_loop()
    for protocol in ice_connection(peer)._protocols:
        transport = protocol.transport
        transport.sendto = partial(loop.call_later, seconds, transport.sendto)


def _level(heard: Heard, hz: float) -> float:
    return tone_level(heard.samples, hz, SAMPLE_HZ)
