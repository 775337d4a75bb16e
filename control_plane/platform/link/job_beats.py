"""Which roles of jobs processes are filled by one that lasts."""

from __future__ import annotations

import asyncio
from collections.abc import Collection
from functools import partial

from redis.asyncio import Redis

from control_plane.platform.job_roles import ALL_ROLES, JobRole
from control_plane.platform.link.event_shards import server_time_ms
from link.common_beat import until_beat
from link.persistent_loop import run_persistently

STEADY_SECONDS = 30.0
"""A process that ends again and again, because of a job, lives no longer."""
BEAT_SECONDS = 10.0
SEEN_MS = 90_000
"""A restart may take so long: the supervisor's pause, the start, and ``STEADY_SECONDS``."""
JOB_BEATS = "switchboard:jobs:beats"
"""Sorted set of roles, by the server's time in ms at which a process that lasts had each."""


async def keep_beating(
    redis: Redis, roles: Collection[JobRole], *, steady_seconds: float = STEADY_SECONDS
) -> None:
    """Show that a process has these roles, once it has run for so long, until cancelled."""
    await asyncio.sleep(steady_seconds)
    await run_persistently("job_beats", partial(_beat, redis, roles))


async def _beat(redis: Redis, roles: Collection[JobRole]) -> None:
    now_ms = await server_time_ms(redis)
    await redis.zadd(JOB_BEATS, {role.value: now_ms for role in roles})
    await until_beat(BEAT_SECONDS)


async def roles_without_process(redis: Redis) -> frozenset[JobRole]:
    """The roles that no process has, or only such as end again and again. What ``events`` has is
    known sooner (``events_are_applied``).

    Raises:
        RedisError, OSError: Redis is away.
    """
    oldest_ms = await server_time_ms(redis) - SEEN_MS
    seen = await redis.zrangebyscore(JOB_BEATS, oldest_ms, "+inf")
    return ALL_ROLES - {JobRole.EVENTS} - set(seen)
