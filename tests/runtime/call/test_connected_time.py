"""The connected time of a call beside the clock of the packets that came: real legs over this
machine's network, in real time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import UUID

import pytest
from aiortc.rtp import RtpPacket

from contracts.call_plan import CallPlan
from contracts.end_reasons import EndReason
from contracts.events import CallEnded
from runtime.call.call import Call
from runtime.media.local_room import LocalRoom
from runtime.media.webrtc_leg import WebRtcLeg
from tests.runtime.call.packet_clock import PacketClock
from tests.runtime.call.stage import PATIENT
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    call_plan,
    no_recorded_apology,
)
from tests.runtime.media.loopback_peer import LoopbackPeer

pytestmark = pytest.mark.latency

OTHER = UUID(int=9)
EXACT_MS = 20
A_WHILE = 0.3
AWAY = 3.5
"""Seconds without the network, after which a caller counts as away."""
NOT_AWAY = 1.2
"""Seconds in which nothing comes, and that nobody notices."""


@pytest.fixture
def packets(monkeypatch: pytest.MonkeyPatch) -> PacketClock:
    clock, received = PacketClock(), WebRtcLeg._packet_received

    def noted(leg: WebRtcLeg, packet: RtpPacket) -> None:
        clock.arrivals[leg.participant_id].append(time.monotonic())
        received(leg, packet)

    monkeypatch.setattr(WebRtcLeg, "_packet_received", noted)
    return clock


@dataclass
class Callers:
    """What the callers of one call do. After each step the meter is compared with the packets."""

    call: Call
    room: LocalRoom
    packets: PacketClock
    peers: list[LoopbackPeer] = field(default_factory=list)
    differences_ms: dict[str, float] = field(default_factory=dict)

    async def joins(self, participant_id: UUID) -> LoopbackPeer:
        peer = LoopbackPeer(participant_id)
        self.peers.append(peer)
        offer = await peer.offer()
        await peer.accept(await self.call.answer_offer(participant_id, "caller", offer))
        await self.is_here(participant_id)
        return peer

    async def is_here(self, participant_id: UUID) -> None:
        async with asyncio.timeout(10):
            while participant_id not in self.call.people_here:  # noqa: ASYNC110
                await asyncio.sleep(0.005)

    async def loses_the_network(self, peer: LoopbackPeer, seconds: float) -> None:
        lost_at, give_back = time.monotonic(), peer.cut_off()
        await asyncio.sleep(seconds)
        back_at = time.monotonic()
        give_back()
        if seconds >= AWAY:
            self.packets.outages[peer.participant_id].append((lost_at, back_at))
        await self.is_here(peer.participant_id)

    async def hangs_up(self, participant_id: UUID) -> None:
        self.packets.left_at[participant_id] = time.monotonic()
        await self.call.remove_leg(participant_id)

    async def compare(self, step: str) -> None:
        await asyncio.sleep(A_WHILE)
        counted_ms = self.call.media("w1").connected_ms
        assert counted_ms is not None
        self.differences_ms[step] = counted_ms - self.packets.connected_ms(time.monotonic())


def plan() -> CallPlan:
    (caller,) = call_plan().participants
    other = caller.model_copy(update={"participant_id": OTHER})
    return call_plan(limits=PATIENT).model_copy(update={"participants": (caller, other)})


@asynccontextmanager
async def calling(packets: PacketClock) -> AsyncIterator[tuple[Callers, EventList]]:
    room, journal = LocalRoom("test"), EventList()
    call = Call(
        plan(),
        journal,
        open_room=lambda: asyncio.sleep(0, room),
        open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
        phrases=FakePhrases(),
        recorded_apology=no_recorded_apology,
    )
    callers = Callers(call, room, packets)
    running = asyncio.create_task(call.run(lambda: asyncio.sleep(0)))
    try:
        yield callers, journal
        await asyncio.wait_for(running, 10)
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        for peer in callers.peers:
            await peer.close()


async def test_the_meter_is_exact_over_mute_hold_outages_new_connections_and_several_legs(
    packets: PacketClock,
) -> None:
    async with calling(packets) as (callers, journal):
        room, caller = callers.room, await callers.joins(CALLER)
        await callers.compare("a caller is here")

        room.mute(CALLER, muted=True)
        await callers.compare("muted")
        callers.call.hold(CALLER, held=True)
        await callers.compare("muted and on hold")
        room.mute(CALLER, muted=False)
        caller.stop_sending()
        await asyncio.sleep(AWAY)
        await callers.compare("on hold, and no sound is sent")
        caller.send_again()
        callers.call.hold(CALLER, held=False)
        await callers.compare("off hold")

        await callers.loses_the_network(caller, NOT_AWAY)
        await callers.compare("nothing came for a moment")
        await callers.loses_the_network(caller, AWAY)
        await callers.compare("away and back")
        callers.call.hold(CALLER, held=True)
        await callers.loses_the_network(caller, AWAY)
        callers.call.hold(CALLER, held=False)
        await callers.compare("away and back on hold")

        other = await callers.joins(OTHER)
        await callers.compare("another joins")
        await callers.loses_the_network(caller, AWAY)
        await callers.compare("away while another is here")
        async with asyncio.TaskGroup() as both:
            both.create_task(callers.loses_the_network(caller, AWAY + 1.0))
            await asyncio.sleep(0.5)
            both.create_task(callers.loses_the_network(other, AWAY))
        await callers.compare("both away, for the most part together")
        await callers.hangs_up(OTHER)
        await callers.compare("the other has left")

        lost_at = time.monotonic()
        caller.vanish()
        await asyncio.sleep(AWAY)
        packets.outages[CALLER].append((lost_at, time.monotonic()))
        await callers.joins(CALLER)
        await callers.compare("back on a new connection")
        await callers.hangs_up(CALLER)

    ended = journal.bodies[-1]
    assert isinstance(ended, CallEnded)
    assert ended.end_reason is EndReason.PARTICIPANT_DISCONNECTED
    assert ended.connected_ms is not None
    expected_ms = packets.connected_ms(time.monotonic())
    callers.differences_ms["over"] = ended.connected_ms - expected_ms
    assert {
        step: round(each) for step, each in callers.differences_ms.items() if abs(each) > EXACT_MS
    } == {}
