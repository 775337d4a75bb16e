"""Claiming calls, against a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.call_status import Transport
from runtime.link.dispatch import Acknowledge, Dispatcher, OnOffer
from runtime.link.offered_call import OfferedCall
from runtime.slots import Slots
from tests.runtime.control_plane import ControlPlane
from tests.runtime.fakes import call_plan


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        yield redis


def dispatcher_of(redis: Redis, on_offer: OnOffer) -> Dispatcher:
    return Dispatcher(
        redis,
        "w1",
        Slots(1),
        on_offer,
        on_unreadable=lambda: None,
        is_running=lambda _: False,
        lease_seconds=30,
    )


async def test_a_call_has_its_full_lease_as_soon_as_no_other_worker_can_begin_it(redis: Redis):
    control_plane, plan = ControlPlane(redis), call_plan()
    claimed: asyncio.Queue[Acknowledge] = asyncio.Queue()

    def on_offer(offered: OfferedCall, acknowledge: Acknowledge) -> None:
        claimed.put_nowait(acknowledge)

    async def lease_seconds() -> int:
        return int(await redis.ttl(redis_names.call_lease(plan.call_id)))

    dispatcher = dispatcher_of(redis, on_offer)
    await control_plane.dispatch(plan)
    claiming = asyncio.create_task(dispatcher.run())
    async with asyncio.timeout(5):
        acknowledge = await claimed.get()
    assert await lease_seconds() <= redis_names.CLAIM_TTL_SECONDS
    assert await control_plane.pending() == 1
    await acknowledge()
    assert await lease_seconds() > redis_names.CLAIM_TTL_SECONDS
    assert await control_plane.pending() == 0
    claiming.cancel()
    await asyncio.wait([claiming])


@pytest.mark.parametrize(
    ("transport", "holder", "holder_is_alive", "is_taken"),
    [
        (Transport.PSTN, "w0", False, True),
        (Transport.PSTN, "w0", True, False),
        (Transport.PSTN, "w1", True, True),
        (Transport.WEBRTC, "w0", False, False),
        (Transport.WEBRTC, "w1", True, False),
    ],
    ids=["dead", "alive", "started again", "may be cut off", "own, not of a phone"],
)
async def test_only_a_phone_call_whose_worker_has_died_is_taken_from_it(
    redis: Redis, transport: Transport, holder: str, *, holder_is_alive: bool, is_taken: bool
) -> None:
    plan = call_plan()
    participants = tuple(
        each.model_copy(update={"transport": transport}) for each in plan.participants
    )
    plan = plan.model_copy(update={"participants": participants})
    lease = redis_names.call_lease(plan.call_id)
    await redis.set(lease, holder, ex=redis_names.LEASE_TTL_SECONDS)
    if holder_is_alive:
        await redis.set(redis_names.worker_heartbeat(holder), "{}")
    claimed: list[OfferedCall] = []
    dispatcher = dispatcher_of(redis, lambda offered, _: claimed.append(offered))
    await ControlPlane(redis).dispatch(plan)
    await dispatcher._claim()
    assert bool(claimed) is is_taken
    assert await redis.get(lease) == ("w1" if is_taken else holder)
