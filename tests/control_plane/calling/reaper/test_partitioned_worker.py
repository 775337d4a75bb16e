"""A worker that lives and cannot reach Redis for a while, which everybody else can."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.commands import EndCall, OfferLeg
from contracts.end_reasons import EndReason
from contracts.money import billable_seconds
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.reaper.clear_view import ClearView
from control_plane.calling.reaper.reaper import Reaper
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import catch_up, create_call
from tests.runtime.control_plane import ControlPlane
from tests.runtime.until import until
from tests.runtime.working import working
from tests.severable_link import severable_link

PARTITION_SECONDS = 20


async def let_pass(redis: Redis, seconds: int) -> None:
    """Every key comes so much closer to its expiry, as if the time had passed."""
    async for key in redis.scan_iter():
        left_ms = await redis.pttl(key)
        if left_ms >= 0:
            await redis.pexpire(key, left_ms - seconds * 1000)


@pytest.mark.usefixtures("simulated_time")
async def test_a_call_survives_twenty_seconds_in_which_its_worker_does_not_reach_redis(
    tenant: TenantClient,
    consumer: EventConsumer,
    database: Database,
    redis: Redis,
    valkey_url: str,
    tmp_path: Path,
) -> None:
    reaper = Reaper(database, redis, view=ClearView(0, clock=lambda: 0))
    control_plane = ControlPlane(redis)
    created = await create_call(tenant, await tenant.published_agent())
    call_id = UUID(created["id"])
    async with severable_link(valkey_url) as link, working(link.url, tmp_path):

        async def lease_ttl() -> int:
            return int(await redis.ttl(redis_names.call_lease(call_id)))

        async def shown() -> dict[str, Any]:
            await catch_up(consumer)
            call: dict[str, Any] = (await tenant.get(f"/v1/calls/{call_id}")).json()
            return call

        async def is_in(status: str) -> bool:
            return bool((await shown())["status"] == status)

        await until(lambda: control_plane.is_in("w1", "ready"))
        [participant] = created["participants"]
        offer = OfferLeg(
            participant_id=participant["id"],
            identity="ada",
            sdp="offer",
            reply_to=uuid4(),
        )
        await control_plane.command("w1", call_id, offer)
        await until(lambda: is_in("in_progress"))

        link.cut()
        await let_pass(redis, PARTITION_SECONDS)
        assert await control_plane.heartbeat("w1") is None, "it gets no new calls"
        await reaper.round()
        assert await is_in("in_progress")
        link.mend()
        await until(lambda: control_plane.is_in("w1", "ready"))
        assert await lease_ttl() > PARTITION_SECONDS

        await control_plane.command("w1", call_id, EndCall(end_reason=EndReason.NORMAL_HANGUP))
        await until(lambda: is_in("completed"))
    call = await shown()
    assert call["end_reason"] == "normal_hangup"
    assert call["billable_seconds"] == billable_seconds(round(call["bill_duration"] * 1000))
