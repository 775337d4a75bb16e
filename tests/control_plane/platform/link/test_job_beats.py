"""Which roles of jobs processes are filled by one that lasts."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from control_plane.platform.job_roles import ALL_ROLES, TENANTS_ROLES, JobRole
from control_plane.platform.link.event_shards import server_time_ms
from control_plane.platform.link.job_beats import (
    JOB_BEATS,
    SEEN_MS,
    STEADY_SECONDS,
    keep_beating,
    roles_without_process,
)
from switchboard.supervision.restarts import Restarts
from tests.runtime.until import until

OTHERS = ALL_ROLES - {JobRole.EVENTS}


async def is_filled(redis: Redis, role: JobRole) -> bool:
    return role not in await roles_without_process(redis)


async def test_a_process_that_lasts_fills_its_roles(redis: Redis) -> None:
    assert await roles_without_process(redis) == OTHERS
    beating = asyncio.create_task(keep_beating(redis, TENANTS_ROLES, steady_seconds=0.0))
    await until(lambda: is_filled(redis, JobRole.POST_CALL))
    beating.cancel()
    assert await roles_without_process(redis) == OTHERS - TENANTS_ROLES


async def test_a_process_that_ends_before_it_has_lasted_fills_none(redis: Redis) -> None:
    """However often it is started again."""
    for _ in range(3):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await keep_beating(redis, TENANTS_ROLES)
    assert await roles_without_process(redis) == OTHERS


async def test_a_role_is_empty_when_its_process_was_not_seen_for_long(redis: Redis) -> None:
    now_ms = await server_time_ms(redis)
    beats = {JobRole.KNOWLEDGE: now_ms - SEEN_MS + 20_000, JobRole.POST_CALL: now_ms - SEEN_MS - 1}
    await redis.zadd(JOB_BEATS, beats)
    assert await is_filled(redis, JobRole.KNOWLEDGE)
    assert not await is_filled(redis, JobRole.POST_CALL)


def test_one_restart_empties_no_role() -> None:
    starting_seconds = 15.0
    assert Restarts().longest_seconds + starting_seconds + STEADY_SECONDS < SEEN_MS / 1000
