"""The connected time of calls between phones, in virtual time: exact, whatever the phones do."""

from __future__ import annotations

import asyncio
import random
from uuid import UUID

import pytest

from contracts.call_plan import CallPlan
from contracts.events import CallEnded
from runtime.call.call import Call
from runtime.media.local_room import LocalRoom
from tests.runtime import virtual_time
from tests.runtime.call.packet_clock import PacketClock
from tests.runtime.call.stage import PATIENT
from tests.runtime.fakes import (
    CALLER,
    EventList,
    FakeConversation,
    FakePhrases,
    no_recorded_apology,
    phone_plan,
)
from tests.runtime.media.phones.virtual_phone import RoomTime, VirtualPhone

PHONES = (CALLER, UUID(int=8), UUID(int=9))
EXACT_MS = 20
UNNOTICED_SECONDS = (0.1, 2.4)
AWAY_SECONDS = (3.1, 9.0)
"""Longer than it takes to notice, shorter than a phone is awaited."""


def plan() -> CallPlan:
    alone = phone_plan()
    (callee,) = alone.participants
    all_of_them = [callee.model_copy(update={"participant_id": each}) for each in PHONES]
    return alone.model_copy(update={"participants": tuple(all_of_them), "limits": PATIENT})


async def live(
    call: Call, room: LocalRoom, participant_id: UUID, packets: PacketClock, chance: random.Random
) -> None:
    """One phone comes, is muted, held, silent and cut off as it happens, and hangs up. All come
    before the first one can be gone, which would end the call."""
    now = RoomTime().now
    if participant_id != CALLER:
        await asyncio.sleep(chance.uniform(0.0, 2.5))
    phone = VirtualPhone(participant_id, packets.arrivals[participant_id].append)
    sending = asyncio.create_task(phone.send())
    await call.add_phone(phone.leg)
    for _ in range(4):
        await asyncio.sleep(chance.uniform(0.5, 3.0))
        match chance.choice(("mute", "hold", "silence", "gap", "outage", "outage")):
            case "mute":
                room.mute(participant_id, muted=chance.random() < 0.5)
            case "hold":
                call.hold(participant_id, held=chance.random() < 0.5)
            case "silence":
                phone.sends_sound = False
                await asyncio.sleep(chance.uniform(*AWAY_SECONDS))
                phone.sends_sound = True
            case "gap":
                phone.has_network = False
                await asyncio.sleep(chance.uniform(*UNNOTICED_SECONDS))
                phone.has_network = True
            case "outage":
                lost_at, phone.has_network = now(), False
                await asyncio.sleep(chance.uniform(*AWAY_SECONDS))
                phone.has_network = True
                packets.outages[participant_id].append((lost_at, now()))
    await asyncio.sleep(chance.uniform(0.5, 3.0))
    packets.left_at[participant_id] = now()
    await call.remove_leg(participant_id)
    sending.cancel()


@pytest.mark.parametrize("seed", range(8))
def test_mute_hold_gaps_outages_and_several_phones_are_counted_by_their_packets(seed: int) -> None:
    async def main() -> tuple[CallEnded, float]:
        chance = random.Random(seed)
        room, journal, packets = LocalRoom("test", clock=RoomTime()), EventList(), PacketClock()
        loop = asyncio.get_running_loop()
        call = Call(
            plan(),
            journal,
            open_room=lambda: asyncio.sleep(0, room),
            open_conversation=lambda plan, room, actions, record: FakeConversation(record, actions),
            phrases=FakePhrases(),
            recorded_apology=no_recorded_apology,
            clock=loop.time,
            wall_clock=loop.time,
        )
        async with asyncio.timeout(1_000), asyncio.TaskGroup() as phones:
            for each in PHONES[: 1 + seed % 3]:
                phones.create_task(live(call, room, each, packets, chance))
            await call.run(lambda: asyncio.sleep(0))
        return journal.bodies[-1], packets.connected_ms(loop.time())

    ended, expected_ms = virtual_time.run(main())
    assert ended.connected_ms == pytest.approx(expected_ms, abs=EXACT_MS)
