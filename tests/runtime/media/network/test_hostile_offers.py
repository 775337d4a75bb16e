"""Offers that name too much, or come too often, to a room on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from runtime.media.local_room import LocalRoom
from runtime.media.network.aiortc_internals import ice_connection
from runtime.media.network.media_network import MediaNetwork
from runtime.media.network.remote_candidates import MOST_CANDIDATES
from runtime.media.room import BadOffer, LegConnected
from tests.loop_stalls import watched_loop
from tests.runtime.media.loopback_peer import LoopbackPeer

LONGEST_STALL_MS = 15.0
"""An offer of 400 candidates took several times that."""
CHECKED_SECONDS = 0.3
"""How long after the answer the connectivity checks have begun."""


@pytest.fixture
async def room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("test")
    yield room
    await room.aclose()


@pytest.fixture
async def peer() -> AsyncIterator[LoopbackPeer]:
    peer = LoopbackPeer()
    yield peer
    await peer.close()


def with_candidates(sdp: str, count: int, *, in_every_section: bool = False) -> str:
    """``sdp`` with ``count`` candidates, in its first section or in every section."""
    added = [
        f"a=candidate:{n} 1 udp 2122260223 8.8.{n // 200}.{n % 200} 50000 typ host"
        for n in range(count)
    ]
    lines: list[str] = []
    for line in sdp.splitlines():
        if not line.startswith("a=candidate:"):
            lines.append(line)
        if line.startswith("m="):
            lines += added
            added = added if in_every_section else []
    return "\r\n".join(lines) + "\r\n"


def known(room: LocalRoom) -> int:
    (leg,) = room._legs.values()
    return len(ice_connection(leg._peer).remote_candidates)


async def test_every_candidate_of_a_max_bundle_offer_is_known(
    room: LocalRoom, peer: LoopbackPeer
) -> None:
    await room.answer_offer(peer.participant, with_candidates(await peer.offer(), 3))
    assert known(room) == 3


async def test_an_offer_with_hundreds_of_candidates_does_not_stall_the_loop(
    room: LocalRoom, peer: LoopbackPeer
) -> None:
    offer = with_candidates(await peer.offer(), 400, in_every_section=True)
    async with watched_loop() as stalls:
        await room.answer_offer(peer.participant, offer)
        assert known(room) == MOST_CANDIDATES
        await asyncio.sleep(CHECKED_SECONDS)
    assert stalls.longest_ms < LONGEST_STALL_MS


async def test_nothing_is_sent_to_addresses_that_cannot_be_a_caller_s(peer: LoopbackPeer) -> None:
    room = LocalRoom("test", network=MediaNetwork(private_candidates=False))
    offer = with_candidates(await peer.offer(), 1).replace(" 8.8.0.0 ", " 10.1.2.3 ")
    try:
        await room.answer_offer(peer.participant, offer)
        assert known(room) == 0
    finally:
        await room.aclose()


async def test_a_caller_whose_addresses_are_not_used_is_heard_all_the_same() -> None:
    room, peer = LocalRoom("test"), LoopbackPeer()
    offer = await peer.offer()
    elsewhere = [line for line in offer.splitlines() if not line.startswith("a=candidate:")]
    try:
        await peer.accept(await room.answer_offer(peer.participant, "\r\n".join([*elsewhere, ""])))
        assert known(room) == 0
        async with asyncio.timeout(5):
            assert await anext(room.events()) == LegConnected(peer.participant_id)
    finally:
        await peer.close()
        await room.aclose()


async def test_a_participant_has_one_offer_in_flight(room: LocalRoom, peer: LoopbackPeer) -> None:
    offer = await peer.offer()
    first = asyncio.create_task(room.answer_offer(peer.participant, offer))
    await asyncio.sleep(0)
    with pytest.raises(BadOffer, match="is being answered"):
        await room.answer_offer(peer.participant, offer)
    other = LoopbackPeer()
    await room.answer_offer(other.participant, offer)
    await other.close()
    await first
    await room.answer_offer(peer.participant, offer)


async def test_an_offer_that_was_refused_is_no_longer_in_flight(
    room: LocalRoom, peer: LoopbackPeer
) -> None:
    for _ in range(2):
        with pytest.raises(BadOffer, match="not SDP"):
            await room.answer_offer(peer.participant, "hello")
