"""Tells workers how far each call's events are applied. They keep their journals until then."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names

APPLIED_MEMORY_SECONDS = 3600
"""How long a call that is over is remembered: its worker has long deleted the journal, and plans
that might still start it have long gone stale."""


async def publish_applied(
    redis: Redis, applied_seq: Mapping[UUID, int], over: Collection[UUID]
) -> None:
    """Tell the workers how far each call has come. The entries of calls in ``over`` expire."""
    if not applied_seq:
        return
    async with redis.pipeline(transaction=False) as pipe:
        pipe.hset(
            redis_names.APPLIED,
            mapping={str(call_id): seq for call_id, seq in applied_seq.items()},
        )
        if over:
            pipe.hexpire(redis_names.APPLIED, APPLIED_MEMORY_SECONDS, *map(str, over))
        await pipe.execute()


async def clear_ended_call(
    redis: Redis, call_id: UUID, applied_seq: int, dispatch_entry_id: str | None
) -> None:
    """After a call was ended without its worker: remove what a worker could claim or a bill use."""
    async with redis.pipeline(transaction=False) as pipe:
        if dispatch_entry_id is not None:
            # A worker may have been given the offer without being able to read it.
            pipe.xack(redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP, dispatch_entry_id)
            pipe.xdel(redis_names.DISPATCH_STREAM, dispatch_entry_id)
        pipe.hdel(redis_names.MEDIA, str(call_id))
        await pipe.execute()
    await publish_applied(redis, {call_id: applied_seq}, [call_id])
