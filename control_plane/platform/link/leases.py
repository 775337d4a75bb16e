"""Which worker runs a call, as its lease says, and when a missing lease says something."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names

POLL_INTERVAL_SECONDS = 0.05


async def lease_holder(redis: Redis, call_id: UUID) -> str | None:
    """The id of the worker that runs the call now."""
    holder = await redis.get(redis_names.call_lease(call_id))
    return None if holder is None else str(holder)


async def leased(redis: Redis, call_ids: Sequence[UUID]) -> frozenset[UUID]:
    """Those of ``call_ids`` that a worker runs now."""
    if not call_ids:
        return frozenset()
    holders = await redis.mget([redis_names.call_lease(call_id) for call_id in call_ids])
    return frozenset(
        call_id for call_id, holder in zip(call_ids, holders, strict=True) if holder is not None
    )


async def check_renewable(redis: Redis) -> None:
    """What is missing proves a dead process only if a living one could renew it. Without memory,
    with a full disk or as a replica, Redis answers, takes nothing, and lets leases lapse.

    Raises:
        RedisError, OSError: nothing can be renewed now.
    """
    await redis.set(redis_names.RENEWAL_PROBE, "1", ex=redis_names.LEASE_TTL_SECONDS)


async def wait_for_lease(redis: Redis, call_id: UUID, timeout_seconds: float) -> str | None:
    """The worker that runs the call, as soon as there is one; ``None`` if none came in time."""
    deadline = time.monotonic() + timeout_seconds
    while (holder := await lease_holder(redis, call_id)) is None:
        if time.monotonic() >= deadline:
            return None
        await asyncio.sleep(POLL_INTERVAL_SECONDS)
    return holder
