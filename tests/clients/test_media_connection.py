"""The Python client's connection to a real room: protected against loss, and told its end."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any, cast
from uuid import uuid4

import aioice.ice
import numpy as np
import pytest
from aioice import Connection

from contracts.call_plan import PlannedParticipant
from runtime.media.audio.opus import OpusDecoder
from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_internals import ice_connection
from switchboard_client.webrtc import aiortc_internals
from switchboard_client.webrtc.connection import MediaConnection, ReceivedFrame
from switchboard_client.webrtc.frame import FRAME_SAMPLES, SAMPLE_RATE_HZ, Samples
from switchboard_client.webrtc.outgoing_track import OutgoingTrack
from tests.runtime.media.loopback_peer import send_late
from tests.runtime.until import until
from tests.stand_ins.silence import Silence

DTLS_FIRST_BYTES = range(20, 64)
OPENSSL_REPEATS_AFTER_SECONDS = 1.0


class Voice:
    """A tone that comes and goes, as syllables do."""

    def __init__(self) -> None:
        self._frame = 0

    def next_frame(self, sent_at: float) -> Samples:
        times = (np.arange(FRAME_SAMPLES) + self._frame * FRAME_SAMPLES) / SAMPLE_RATE_HZ
        self._frame += 1
        loudness = 8_000 * (1 + np.sin(2 * np.pi * 4 * times)) / 2
        return (loudness * np.sin(2 * np.pi * 300 * times)).astype(np.int16)


class Room:
    """The signalling of one participant, without a server between."""

    def __init__(self, room: LocalRoom) -> None:
        self._room = room
        self._participant = PlannedParticipant(
            participant_id=uuid4(), transport="webrtc", identity="caller"
        )

    async def exchange(self, offer: str) -> str:
        return await self._room.answer_offer(self._participant, offer)


class LossyRoom(Room):
    """Each DTLS datagram is lost on its way when it is sent for the first time."""

    def __init__(self, room: LocalRoom, caller: MediaConnection) -> None:
        super().__init__(room)
        self._caller = caller
        self.lost: set[bytes] = set()

    async def exchange(self, offer: str) -> str:
        answer = await super().exchange(offer)
        (leg,) = self._room._legs.values()
        for peer in (leg._peer, self._caller._peer):
            self._lose(ice_connection(peer))
        return answer

    def _lose(self, connection: Connection) -> None:
        take = connection.data_received

        def take_known(datagram: bytes, component: int) -> None:
            if datagram[0] in DTLS_FIRST_BYTES and datagram not in self.lost:
                self.lost.add(datagram)
            else:
                take(datagram, component)

        vars(connection)["data_received"] = take_known


@asynccontextmanager
async def connected(
    room: LocalRoom, on_frame: Callable[[ReceivedFrame], None] = lambda frame: None
) -> AsyncIterator[MediaConnection]:
    connection = MediaConnection(Silence(), (), on_frame, None)
    try:
        await connection.open(cast("Any", Room(room)), 10)
        yield connection
    finally:
        await connection.close()


@pytest.fixture
async def room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("test")
    yield room
    await room.aclose()


async def test_each_packet_holds_a_copy_of_the_one_before() -> None:
    track, decoder = OutgoingTrack(Voice()), OpusDecoder()
    packets = [bytes(await track.recv()) for _ in range(50)]
    assert {decoder.samples_in(packet) for packet in packets} == {FRAME_SAMPLES}
    copies = sum(decoder.has_copy(packet) for packet in packets)
    assert copies > 40, copies


async def test_packets_count_the_samples_that_were_sent_before() -> None:
    track = OutgoingTrack(Silence())
    assert [(await track.recv()).pts for _ in range(3)] == [0, 960, 1920]


async def test_lost_datagrams_of_a_handshake_cost_no_second(room: LocalRoom) -> None:
    connection = MediaConnection(Silence(), (), lambda frame: None, None)
    lossy = LossyRoom(room, connection)
    try:
        began = asyncio.get_running_loop().time()
        await connection.open(cast("Any", lossy), 10)
        assert await asyncio.wait_for(anext(room.events()), 5)
        took_seconds = asyncio.get_running_loop().time() - began
    finally:
        await connection.close()
    assert len(lossy.lost) >= 4, "a handshake has four flights"
    assert took_seconds < OPENSSL_REPEATS_AFTER_SECONDS


async def test_an_end_by_the_other_side_is_no_loss(room: LocalRoom) -> None:
    async with connected(room) as connection:
        assert not connection.was_closed
        await room.aclose()
        async with asyncio.timeout(5):
            while not connection.was_closed:
                assert not connection.has_failed
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.5)
        assert connection.was_closed, "also when aiortc has closed the rest of the connection"
        assert not connection.has_failed


async def test_a_close_goes_on_when_it_is_cancelled(room: LocalRoom) -> None:
    connection = MediaConnection(Silence(), (), lambda frame: None, None)
    await connection.open(cast("Any", Room(room)), 10)
    closing = asyncio.create_task(connection.close())
    await asyncio.sleep(0)
    closing.cancel()
    await asyncio.wait([closing])
    await asyncio.wait_for(connection.close(), 5)
    await room.aclose()
    # What repeats the handshake ends by itself, a tenth of a second later.
    await until(lambda: asyncio.all_tasks() == {asyncio.current_task()})


async def test_the_loss_of_this_machine_s_own_network_is_no_end(room: LocalRoom) -> None:
    async with connected(room) as connection:
        await ice_connection(connection._peer).close()
        async with asyncio.timeout(5):
            while not connection.has_failed:
                assert not connection.was_closed
                await asyncio.sleep(0.01)
        assert not connection.was_closed


@pytest.mark.parametrize("patient", [True, False])
async def test_a_room_that_answers_consent_checks_late_is_not_lost(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch, *, patient: bool
) -> None:
    monkeypatch.setattr(aioice.ice, "CONSENT_INTERVAL", 0.05)
    if not patient:
        # As long as aioice waits.
        monkeypatch.setattr(aiortc_internals, "CONSENT_RETRANSMISSIONS", 0)
    async with connected(room) as connection:
        (leg,) = room._legs.values()
        send_late(leg._peer, 0.6)
        await asyncio.sleep(aioice.ice.CONSENT_FAILURES * (0.05 + 0.5) + 1.5)
        assert connection.has_failed is not patient


@pytest.mark.parametrize("datagram", [b"", b"\x80", bytes([150]) * 3_000], ids=len)
async def test_a_stranger_s_datagram_does_not_end_a_connection(
    room: LocalRoom, datagram: bytes
) -> None:
    heard = 0

    def count(frame: ReceivedFrame) -> None:
        nonlocal heard
        heard += 1

    async with connected(room, count) as connection:
        (protocol, *_) = ice_connection(connection._peer)._protocols
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(datagram, protocol.transport.get_extra_info("sockname")[:2])
        before = heard
        async with asyncio.timeout(5):
            while heard < before + 20:  # noqa: ASYNC110 - frames are counted, nothing else
                await asyncio.sleep(0.01)
        assert not connection.was_closed
        assert not connection.has_failed


async def test_a_failure_that_nobody_waits_for_is_not_logged_as_a_fault() -> None:
    """As when an attempt to connect again is given up, and its transport fails after that."""
    faults: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
    connection = MediaConnection(Silence(), (), lambda frame: None, None)
    await connection._peer.close()
    del connection
    gc.collect()
    await asyncio.sleep(0)
    assert faults == []
