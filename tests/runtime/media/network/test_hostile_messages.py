"""SCTP from a caller who wants the worker's time or memory, to a leg with a data channel."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from struct import pack

import pytest
from aiortc import RTCSctpTransport
from aiortc.rtcsctptransport import DataChunk, HeartbeatChunk, SackChunk, serialize_packet

from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_guards import MOST_UNREAD_BYTES, MOST_UNREAD_CHUNKS
from tests.runtime.media.network.test_hostile_packets import assert_is_heard
from tests.runtime.media.test_local_room import joined, until

FIRST, LAST, UNORDERED = 2, 1, 4
PACKET_MS = 15.0
"""Of the event loop, for one packet. A call has 20 ms for each of its frames."""


@pytest.fixture
async def room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("test")
    yield room
    await room.aclose()


async def association_of(room: LocalRoom) -> RTCSctpTransport:
    (leg,) = room._legs.values()
    association = leg._peer.sctp
    assert association is not None
    await until(lambda: association.state == "connected")
    # The peer's own first chunk opens its channel. After it a test knows which number is next.
    await until(lambda: leg.live_messages._channel is not None)
    return association


class Hostile:
    """A caller whose packets reach the association as if they had been encrypted."""

    def __init__(self, association: RTCSctpTransport) -> None:
        self._association = association
        self._next_tsn = association._last_received_tsn + 1
        self.slowest_ms = 0.0

    async def send(self, *chunks: bytes) -> None:
        tag = self._association._local_verification_tag
        packet = serialize_packet(5000, 5000, tag, _Bytes(b"".join(chunks)))  # type: ignore[arg-type]
        began_at = time.thread_time()
        await self._association._handle_data(packet)
        self.slowest_ms = max(self.slowest_ms, (time.thread_time() - began_at) * 1000)

    def fragments(
        self, count: int, *, size: int = 1, flags: int = 0, skip: int = 0, streams: int = 1
    ) -> Iterable[bytes]:
        self._next_tsn += skip
        for number in range(count):
            chunk = DataChunk(flags=flags)
            chunk.tsn, self._next_tsn = self._next_tsn % (1 << 32), self._next_tsn + 1
            chunk.stream_id, chunk.protocol = number % streams, 51
            chunk.user_data = b"x" * size
            yield bytes(chunk)

    def messages(self, count: int, *, size: int = 1) -> list[bytes]:
        """Whole ones that must be delivered in order."""
        chunks = list(self.fragments(count, size=size, flags=FIRST | LAST))
        # At these places is the message's number within its stream (RFC 9260, section 3.3.1).
        return [x[:10] + pack("!H", number) + x[12:] for number, x in enumerate(chunks)]


class _Bytes:
    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def __bytes__(self) -> bytes:
        return self._raw


def unread(association: RTCSctpTransport) -> list[int]:
    return [
        len(chunk.user_data)
        for stream in association._inbound_streams.values()
        for chunk in stream.reassembly
    ]


async def send_all(hostile: Hostile, chunks: Iterable[bytes], per_packet: int) -> None:
    waiting = list(chunks)
    for at in range(0, len(waiting), per_packet):
        await hostile.send(*waiting[at : at + per_packet])
        await asyncio.sleep(0)


async def test_a_parameter_without_a_length_does_not_stop_the_worker(room: LocalRoom) -> None:
    async with joined(room) as peer:
        hostile = Hostile(await association_of(room))
        await hostile.send(pack("!BBH", HeartbeatChunk.type, 0, 8) + pack("!HH", 1, 0))
        assert hostile.slowest_ms < PACKET_MS
        await assert_is_heard(room, peer)


async def test_an_acknowledgement_of_everything_does_not_stall_the_worker(room: LocalRoom) -> None:
    async with joined(room):
        association = await association_of(room)
        hostile = Hostile(association)
        sack = SackChunk()
        sack.cumulative_tsn = association._last_sacked_tsn
        sack.gaps = [(1, 65_535)] * 300
        await hostile.send(bytes(sack))
        assert hostile.slowest_ms < PACKET_MS


@pytest.mark.parametrize(
    ("flags", "skip"), [(FIRST, 0), (0, 0), (UNORDERED, 0), (FIRST | LAST | UNORDERED, 1)]
)
async def test_messages_that_never_end_take_bounded_time_and_memory(
    room: LocalRoom, flags: int, skip: int
) -> None:
    async with joined(room) as peer:
        association = await association_of(room)
        hostile = Hostile(association)
        await send_all(hostile, hostile.fragments(8_000, flags=flags, skip=skip), 60)
        assert len(unread(association)) <= MOST_UNREAD_CHUNKS
        assert len(association._sack_misordered) <= MOST_UNREAD_CHUNKS
        assert hostile.slowest_ms < PACKET_MS
        await assert_is_heard(room, peer)


async def test_an_association_keeps_256_kilobytes(room: LocalRoom) -> None:
    async with joined(room):
        association = await association_of(room)
        hostile = Hostile(association)
        await send_all(hostile, hostile.fragments(100, size=60_000, flags=FIRST), 1)
        assert sum(unread(association)) <= MOST_UNREAD_BYTES


async def test_an_association_has_few_streams(room: LocalRoom) -> None:
    async with joined(room):
        association = await association_of(room)
        hostile = Hostile(association)
        complete = hostile.fragments(1_000, flags=FIRST | LAST | UNORDERED, streams=1_000)
        await send_all(hostile, complete, 60)
        assert len(association._inbound_streams) <= 64


async def test_messages_still_arrive(room: LocalRoom) -> None:
    async with joined(room) as peer:
        await association_of(room)
        (leg,) = room._legs.values()
        await until(lambda: leg.live_messages._channel is not None)
        channel, received = leg.live_messages._channel, []
        assert channel is not None
        channel.on("message", received.append)
        for length in (10, 60_000, 200_000):
            peer._channel.send("x" * length)
        await until(lambda: len(received) == 3)
        assert [len(text) for text in received] == [10, 60_000, 200_000]


@pytest.mark.parametrize("size", [1, 1_200])
async def test_a_lost_chunk_may_come_when_there_is_no_room_for_others(
    room: LocalRoom, size: int
) -> None:
    async with joined(room):
        association = await association_of(room)
        hostile = Hostile(association)
        lost, *others = hostile.messages(300, size=size)
        await send_all(hostile, others, 1)
        assert 200 < len(unread(association)) <= MOST_UNREAD_CHUNKS
        await send_all(hostile, [lost, *others], 1)
        assert unread(association) == []
        assert association._last_received_tsn == hostile._next_tsn - 1
        assert association._advertised_rwnd == MOST_UNREAD_BYTES


async def test_lost_chunks_that_free_nothing_take_bounded_memory(room: LocalRoom) -> None:
    async with joined(room):
        association = await association_of(room)
        hostile = Hostile(association)
        gap = list(hostile.fragments(2_000, size=1_000))
        await send_all(hostile, hostile.fragments(MOST_UNREAD_CHUNKS, size=1_000), 1)
        await send_all(hostile, gap, 1)
        assert len(unread(association)) <= 2 * MOST_UNREAD_CHUNKS
        assert sum(unread(association)) <= 2 * MOST_UNREAD_BYTES
