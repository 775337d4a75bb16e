"""Plans on their way to a worker."""

from __future__ import annotations

from redis.asyncio import Redis

from contracts import redis_names

DISPATCH_MEMORY_MS = 300_000
"""Plans that are older have long been claimed or have timed out."""


async def dispatch(redis: Redis, plan_document: str) -> str:
    """Offer a plan (as JSON) to the workers. Returns the stream entry's id.

    Raises:
        RedisError: the plan may or may not have been offered; offering it again is harmless.
    """
    entry_id = await redis.xadd(redis_names.DISPATCH_STREAM, {redis_names.FIELD: plan_document})
    return str(entry_id)


async def forget_old_plans(redis: Redis, now_ms: int) -> None:
    """Keep the dispatch stream from growing: plans that no worker claims stay in it."""
    await redis.xtrim(
        redis_names.DISPATCH_STREAM,
        minid=f"{max(0, now_ms - DISPATCH_MEMORY_MS)}-0",
        approximate=False,
    )
