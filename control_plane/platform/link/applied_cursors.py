"""Tells workers how far each call's events are applied. They keep their journals until then.

The cursors are fields of one hash, so that a worker can ask about many calls at once. Fields that
expire by themselves need Redis 7.4 or Valkey 9. Instead, calls that are over are noted beside it.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from link.dispatch_queue import DispatchQueue

APPLIED_MEMORY_SECONDS = 3600
"""How long a call that is over is remembered: its worker has long deleted the journal, and plans
that might still start it have long gone stale."""
_OVER = "switchboard:applied:over"
"""Sorted set of the calls that are over, by Unix time."""
_FORGOTTEN_AT_ONCE = 1_000


async def publish_applied(
    redis: Redis, applied_seq: Mapping[UUID, int], over: Collection[UUID]
) -> None:
    """Tell the workers how far each call has come. Calls in ``over`` are forgotten later."""
    if not applied_seq:
        return
    async with redis.pipeline(transaction=False) as pipe:
        pipe.hset(
            redis_names.APPLIED,
            mapping={str(call_id): seq for call_id, seq in applied_seq.items()},
        )
        if over:
            pipe.zadd(_OVER, {str(call_id): time.time() for call_id in over})
        await pipe.execute()


async def forget_applied(redis: Redis, now: float) -> None:
    """Forget calls that have been over for ``APPLIED_MEMORY_SECONDS``. ``now`` is Unix time."""
    over = await redis.zrange(
        _OVER,
        0,
        int(now - APPLIED_MEMORY_SECONDS),
        byscore=True,
        offset=0,
        num=_FORGOTTEN_AT_ONCE,
    )
    if over:
        async with redis.pipeline(transaction=True) as pipe:
            pipe.hdel(redis_names.APPLIED, *over)
            pipe.zrem(_OVER, *over)
            await pipe.execute()


async def clear_ended_call(
    redis: Redis, tenant_id: UUID, call_id: UUID, applied_seq: int, dispatch_entry_id: str | None
) -> None:
    """After a call was ended without its worker: remove what a worker could claim or a bill use."""
    await DispatchQueue(redis).withdraw(tenant_id, call_id, dispatch_entry_id)
    await redis.hdel(redis_names.MEDIA, str(call_id))
    await publish_applied(redis, {call_id: applied_seq}, [call_id])
