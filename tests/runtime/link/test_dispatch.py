"""Claiming calls, against a real Valkey."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from runtime.link.dispatch import Acknowledge, Dispatcher
from runtime.link.offered_call import OfferedCall
from runtime.slots import Slots
from tests.runtime.control_plane import ControlPlane
from tests.runtime.fakes import call_plan


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        yield redis


async def test_a_call_has_its_full_lease_as_soon_as_no_other_worker_can_begin_it(redis: Redis):
    control_plane, plan = ControlPlane(redis), call_plan()
    claimed: asyncio.Queue[Acknowledge] = asyncio.Queue()

    def on_offer(offered: OfferedCall, acknowledge: Acknowledge) -> None:
        claimed.put_nowait(acknowledge)

    async def lease_seconds() -> int:
        return int(await redis.ttl(redis_names.call_lease(plan.call_id)))

    dispatcher = Dispatcher(
        redis,
        "w1",
        Slots(1),
        on_offer,
        on_unreadable=lambda: None,
        is_running=lambda _: False,
        lease_seconds=30,
    )
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
