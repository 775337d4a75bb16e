"""A room with real WebRTC peers over this machine's network: Opus, RTP, DTLS, ICE."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import uuid4

import numpy as np
import pytest
from aiortc import RTCSessionDescription

from contracts.live_messages import AgentStateChanged, CallOver, LiveMessage
from runtime.media import liveness
from runtime.media.local_room import LocalRoom
from runtime.media.network.ice_addresses import local_ice_addresses
from runtime.media.network.media_network import MediaNetwork, NoFreePort
from runtime.media.room import (
    BadOffer,
    LegConnected,
    LegGone,
    LegInterrupted,
    RoomClosed,
    Samples,
)
from tests.runtime.media.free_ports import free_ports
from tests.runtime.media.loopback_peer import LoopbackPeer, tone, tone_level

AGENT_HZ, ONE_HZ, TWO_HZ = 2_000, 440, 1_000
ALL_HZ = (ONE_HZ, TWO_HZ, AGENT_HZ)
TRIALS = 5
"""Of a latency the best trial counts: the others tell how busy the machine is."""


@pytest.fixture
async def room() -> AsyncIterator[LocalRoom]:
    room = LocalRoom("test")
    yield room
    await room.aclose()


@asynccontextmanager
async def joined(room: LocalRoom, peer: LoopbackPeer | None = None) -> AsyncIterator[LoopbackPeer]:
    peer = peer or LoopbackPeer()
    try:
        await peer.join(room)
        event = await asyncio.wait_for(anext(room.events()), 5)
        assert event == LegConnected(peer.participant_id)
        yield peer
    finally:
        await peer.close()


async def until(condition: Callable[[], object], seconds: float = 5.0) -> None:
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 (the condition is the peer's, which has no event)
            await asyncio.sleep(0.005)


async def listen(room: LocalRoom, seconds: float) -> Samples:
    frames = room.listen()
    return np.concatenate([await anext(frames) for _ in range(round(seconds * 50))])


async def loud(room: LocalRoom, hz: float) -> None:
    async with asyncio.timeout(5):
        while tone_level(await anext(room.listen()), hz, 16_000) < 1_000:
            pass


async def quiet(room: LocalRoom) -> None:
    async with asyncio.timeout(5):
        while np.abs(await listen(room, 0.1)).max() > 100:
            pass


async def test_the_agent_is_heard_at_once(room: LocalRoom) -> None:
    latencies = []
    async with joined(room) as peer:
        for _ in range(TRIALS):
            pushed_at = time.monotonic()
            room.voice.push(tone(AGENT_HZ, 24_000, 0.2))
            await until(lambda since=pushed_at: peer.first_heard(AGENT_HZ, since))
            latencies.append((peer.first_heard(AGENT_HZ, pushed_at) or 0) - pushed_at)
            await until(lambda: peer.level(AGENT_HZ, 0.1) < 50)
    assert min(latencies) < 0.04


async def test_the_person_is_heard_at_once(room: LocalRoom) -> None:
    latencies, levels = [], []
    async with joined(room) as peer:
        for _ in range(TRIALS):
            peer.say(None)
            await quiet(room)
            peer.say(ONE_HZ)
            said_at = time.monotonic()
            await loud(room, ONE_HZ)
            latencies.append(time.monotonic() - said_at)
            levels.append(tone_level(await listen(room, 0.4), ONE_HZ, 16_000))
    assert min(latencies) < 0.06
    # Where a packet came late on a busy machine, the tone's phase jumps and its level is lower.
    assert max(levels) > 5_000


async def test_clear_stops_the_agent_at_the_receiver(room: LocalRoom) -> None:
    latencies = []
    async with joined(room) as peer:
        for _ in range(TRIALS):
            pushed_at = time.monotonic()
            room.voice.push(tone(AGENT_HZ, 24_000, 10.0))
            await until(lambda: peer.level(AGENT_HZ, 0.2) > 5_000)
            cleared_at = time.monotonic()
            assert room.voice.clear() > 5
            await until(lambda: peer.level(AGENT_HZ, 0.2) < 50)
            heard_at = peer.last_heard(AGENT_HZ, pushed_at)
            assert heard_at is not None
            # Where nothing came just before, the machine stood still: the trial measures nothing.
            if heard_at >= cleared_at - 0.1:
                latencies.append(heard_at - cleared_at)
    assert min(latencies) < 0.04


async def test_everybody_hears_everybody_but_themselves(room: LocalRoom) -> None:
    async with joined(room) as one, joined(room) as two:
        one.say(ONE_HZ)
        two.say(TWO_HZ)
        room.voice.push(tone(AGENT_HZ, 24_000, TRIALS + 1.0))
        for _ in range(TRIALS):
            await listen(room, 0.5)
            engine = await listen(room, 0.5)
            heard = {
                "one": [hz for hz in ALL_HZ if one.level(hz) > 3_000],
                "two": [hz for hz in ALL_HZ if two.level(hz) > 3_000],
                "engine": [hz for hz in ALL_HZ if tone_level(engine, hz, 16_000) > 3_000],
            }
            if all(len(tones) == 2 for tones in heard.values()):
                break
        assert heard == {
            "one": [TWO_HZ, AGENT_HZ],
            "two": [ONE_HZ, AGENT_HZ],
            "engine": [ONE_HZ, TWO_HZ],
        }
        assert one.level(ONE_HZ) < 100
        assert tone_level(engine, AGENT_HZ, 16_000) < 100


async def test_live_messages_arrive_in_order_those_before_the_channel_opened_too(
    room: LocalRoom,
) -> None:
    messages = [
        LiveMessage(body=AgentStateChanged(state="speaking")),
        LiveMessage(body=AgentStateChanged(state="listening")),
        LiveMessage(body=CallOver(end_reason="normal_hangup")),
    ]
    peer = LoopbackPeer()
    offer = await peer.offer()
    answer = await room.answer_offer(peer.participant, offer)
    room.broadcast(messages[0])
    await peer.accept(answer)
    room.broadcast(messages[1])
    await until(lambda: len(peer.messages) == 2)
    room.broadcast(messages[2])
    await until(lambda: len(peer.messages) == 3)
    assert [LiveMessage.model_validate_json(text) for text in peer.messages] == messages
    await peer.close()


async def test_a_second_offer_replaces_the_leg(room: LocalRoom) -> None:
    async with joined(room) as before, joined(room, LoopbackPeer(before.participant_id)) as after:
        await until(lambda: before.connection.connectionState == "closed")
        room.voice.push(tone(AGENT_HZ, 24_000, 2.0))
        await until(lambda: after.level(AGENT_HZ) > 5_000)
        await room.remove_leg(after.participant_id)
        event = await asyncio.wait_for(anext(room.events()), 1)
        assert event == LegGone(after.participant_id, "left")


async def test_a_bad_second_offer_leaves_the_leg_alone(room: LocalRoom) -> None:
    async with joined(room) as peer:
        with pytest.raises(BadOffer):
            await room.answer_offer(peer.participant, "v=0\r\ns=-\r\n")
        room.voice.push(tone(AGENT_HZ, 24_000, 1.0))
        await until(lambda: peer.level(AGENT_HZ) > 5_000)


async def test_a_leg_that_is_removed_as_the_call_ends_is_closed_with_the_room() -> None:
    room = LocalRoom("test")
    async with joined(room) as peer:
        removing = asyncio.create_task(room.remove_leg(peer.participant_id))
        assert await anext(room.events()) == LegGone(peer.participant_id, "left")
        removing.cancel()
        await room.aclose()
        await until(lambda: peer.connection.connectionState == "closed", 1.0)


async def test_a_leg_that_is_removed_has_left_and_its_peer_is_told(room: LocalRoom) -> None:
    async with joined(room) as peer:
        await room.remove_leg(peer.participant_id)
        await room.remove_leg(peer.participant_id)
        await room.remove_leg(uuid4())
        assert await anext(room.events()) == LegGone(peer.participant_id, "left")
        await until(lambda: peer.connection.connectionState == "closed", 1.0)


async def test_a_peer_that_closes_its_connection_is_lost_at_once(room: LocalRoom) -> None:
    async with joined(room) as peer:
        await peer.close()
        event = await asyncio.wait_for(anext(room.events()), 2)
        assert event == LegGone(peer.participant_id, "connection_lost")


async def interrupted(room: LocalRoom, peer: LoopbackPeer) -> None:
    """``peer`` loses its network, and the room notices."""
    peer.vanish()
    event = await asyncio.wait_for(anext(room.events()), 5)
    assert isinstance(event, LegInterrupted)
    assert 2.5 <= event.silent_seconds < 4.0


async def test_a_peer_that_vanishes_is_away_and_then_lost(
    room: LocalRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(liveness, "LOST_AFTER_SECONDS", 3.5)
    async with joined(room) as peer:
        await interrupted(room, peer)
        event = await asyncio.wait_for(anext(room.events()), 4)
        assert event == LegGone(peer.participant_id, "stayed_away")


async def test_a_peer_that_closes_its_connection_while_it_is_away_has_not_stayed_away(
    room: LocalRoom,
) -> None:
    async with joined(room) as peer:
        peer.stop_sending()
        peer.hear_nothing()
        assert isinstance(await asyncio.wait_for(anext(room.events()), 5), LegInterrupted)
        await peer.close()
        event = await asyncio.wait_for(anext(room.events()), 5)
        assert event == LegGone(peer.participant_id, "connection_lost")


async def test_a_peer_that_vanishes_comes_back_from_another_address_and_hears_what_waited(
    room: LocalRoom,
) -> None:
    async with joined(room) as before:
        await interrupted(room, before)
        room.voice.push(tone(AGENT_HZ, 24_000, 1.0))
        async with joined(room, LoopbackPeer(before.participant_id)) as after:
            await until(lambda: after.level(AGENT_HZ) > 5_000)
            after.say(ONE_HZ)
            await loud(room, ONE_HZ)


async def test_an_offer_that_never_connects_does_not_end_a_participants_time_to_come_back(
    room: LocalRoom,
) -> None:
    async with joined(room) as before:
        await interrupted(room, before)
        unreachable = LoopbackPeer(before.participant_id)
        await room.answer_offer(before.participant, await unreachable.offer())
        await unreachable.close()
        async with joined(room, LoopbackPeer(before.participant_id)):
            pass


async def test_a_peer_that_sends_no_audio_but_answers_is_kept(room: LocalRoom) -> None:
    async with joined(room) as peer:
        assert peer._speaking is not None
        peer._speaking.cancel()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(anext(room.events()), 6.5)
        room.voice.push(tone(AGENT_HZ, 24_000, 1.0))
        await until(lambda: peer.level(AGENT_HZ) > 5_000)


async def test_the_engine_hears_one_frame_per_period_from_the_first_connection_on(
    room: LocalRoom,
) -> None:
    async with joined(room):
        started_at = time.monotonic()
        heard = await listen(room, 1.0)
        assert heard.size == 16_000
        assert time.monotonic() - started_at == pytest.approx(1.0, abs=0.3)


async def test_a_closed_room_ends_its_iterators_and_takes_no_offers() -> None:
    room = LocalRoom("test")
    async with joined(room):
        await room.aclose()
        await room.aclose()
        assert [event async for event in room.events()] == []
        assert len([frame async for frame in room.listen()]) <= 50
        peer = LoopbackPeer()
        with pytest.raises(RoomClosed):
            await peer.join(room)
        await peer.close()


async def leave_in_good_order() -> None:
    room = LocalRoom("test")
    async with joined(room) as one, joined(room):
        room.voice.push(tone(AGENT_HZ, 24_000, 1.0))
        await listen(room, 0.2)
        await room.remove_leg(one.participant_id)
        await room.aclose()


async def close_while_connecting() -> None:
    room, peer = LocalRoom("test"), LoopbackPeer()
    await room.answer_offer(peer.participant, await peer.offer())
    await room.aclose()
    await peer.close()


async def refuse_an_offer() -> None:
    room, peer = LocalRoom("test"), LoopbackPeer()
    offer = (await peer.offer()).replace("a=mid:0", "a=mid:0\r\na=fingerprint:sha-256")
    with pytest.raises(BadOffer):
        await room.answer_offer(peer.participant, offer)
    await room.aclose()
    await peer.close()


async def lose_the_peer() -> None:
    room = LocalRoom("test")
    async with joined(room) as peer:
        await peer.close()
        await anext(room.events())
        await room.aclose()


def open_sockets() -> int:
    descriptors = Path("/proc/self/fd")
    return sum(
        os.readlink(x).startswith("socket:") for x in descriptors.iterdir() if x.is_symlink()
    )


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="counts sockets under /proc")
@pytest.mark.parametrize(
    "use", [leave_in_good_order, close_while_connecting, refuse_an_offer, lose_the_peer]
)
async def test_a_closed_room_leaves_no_task_no_socket_and_no_thread(
    use: Callable[[], Awaitable[None]],
) -> None:
    tasks, sockets = asyncio.all_tasks(), open_sockets()
    await use()
    await until(lambda: asyncio.all_tasks() == tasks, 1.0)
    await until(lambda: open_sockets() == sockets, 1.0)
    gc.collect()
    assert [x.name for x in threading.enumerate() if "decoder" in x.name] == []


async def test_a_standstill_of_the_process_loses_nothing_of_what_was_said(room: LocalRoom) -> None:
    async with joined(room) as peer:
        peer.say(ONE_HZ)
        await loud(room, ONE_HZ)
        lasted, levels = [], []
        for _ in range(TRIALS):
            await listen(room, 0.3)
            before = time.monotonic()
            # The peer lives in this loop too: only what it had sent already can arrive.
            time.sleep(0.1)  # noqa: ASYNC251 (it is the standstill)
            heard = await listen(room, 0.5)
            lasted.append(time.monotonic() - before)
            levels.append(tone_level(heard[-4_800:], ONE_HZ, 16_000))
        assert min(lasted) < 0.55
        assert max(levels) > 5_000


async def test_who_joins_late_is_told_what_is_still_true(room: LocalRoom) -> None:
    async with joined(room) as one:
        for state in ("thinking", "speaking"):
            room.broadcast(LiveMessage(body=AgentStateChanged(state=state)))
        await until(lambda: len(one.messages) == 2)
        async with joined(room) as two:
            await until(lambda: two.messages)
            room.broadcast(LiveMessage(body=AgentStateChanged(state="listening")))
            await until(lambda: len(two.messages) == 2)
        told = [LiveMessage.model_validate_json(text).body.state for text in two.messages]
        assert told == ["speaking", "listening"]
        assert len(one.messages) == 3


async def test_a_call_on_a_range_of_ports_is_heard_and_leaves_its_ports_free() -> None:
    ports = free_ports(4)
    addresses = len(local_ice_addresses())
    for _ in range(2):
        room = LocalRoom("test", MediaNetwork(ports=ports))
        async with joined(room) as peer:
            used = {int(line.split()[5]) for line in candidates(peer.connection.remoteDescription)}
            assert len(used) >= 1
            assert used <= set(range(ports.first, ports.last + 1))
            peer.say(ONE_HZ)
            await loud(room, ONE_HZ)
        await room.aclose()
    assert addresses <= 4, "this test needs a larger range"


async def test_without_a_free_port_the_offer_is_refused_and_the_room_stays_open() -> None:
    ports = free_ports(1)
    taken = [ports.bind(address) for address in local_ice_addresses()]
    room, peer = LocalRoom("test", MediaNetwork(ports=ports)), LoopbackPeer()
    try:
        with pytest.raises(NoFreePort):
            await peer.join(room)
        for each in taken:
            each.close()
        async with joined(room):
            pass
    finally:
        await peer.close()
        await room.aclose()


def candidates(description: RTCSessionDescription) -> list[str]:
    return [line for line in description.sdp.splitlines() if line.startswith("a=candidate:")]


async def test_the_answer_asks_for_copies_of_lost_frames(room: LocalRoom) -> None:
    peer = LoopbackPeer()
    answer = await room.answer_offer(peer.participant, await peer.offer())
    assert re.search(r"^a=fmtp:\d+ \S*useinbandfec=1", answer, re.MULTILINE)
    await peer.close()


async def test_a_peer_that_reports_loss_gets_packets_that_can_hold_copies(room: LocalRoom) -> None:
    async with joined(room) as peer:
        await until(lambda: peer.packets)
        assert not can_hold_copies(peer.packets[-1])
        peer.lose_every_fifth_packet()
        await until(lambda: can_hold_copies(peer.packets[-1]), 10)


def can_hold_copies(packet: bytes) -> bool:
    """Only the codec's modes for speech can (RFC 6716, section 3.1)."""
    return packet[0] >> 3 < 16
