"""Calls on their way to a worker."""

from __future__ import annotations

from typing import Any

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names
from contracts.call_offer import CallOffer

DISPATCH_MEMORY_MS = 300_000
"""Offers that are older have long been claimed or have expired."""
FORGOTTEN_AT_ONCE = 1000


async def dispatch(redis: Redis, offer: CallOffer, plan_document: str) -> str:
    """Offer a call to the workers, with its plan as JSON. Returns the stream entry's id.

    Raises:
        RedisError: the call may or may not have been offered; offering it again is harmless.
    """
    entry_id = await redis.xadd(
        redis_names.DISPATCH_STREAM,
        {
            redis_names.FIELD: plan_document,
            redis_names.HEADER_FIELD: offer.model_dump_json(),
        },
    )
    return str(entry_id)


async def times_given(redis: Redis, entry_id: str) -> int:
    """How many times an offer was given to a worker that did not finish it."""
    pending = await _pending(redis, entry_id, entry_id, 1)
    return int(pending[0]["times_delivered"]) if pending else 0


async def forget_old_offers(redis: Redis, now_ms: int) -> None:
    """Keep the dispatch stream from growing: an offer that no worker claims stays in it, and so
    does one that no worker can read."""
    first_kept = f"{max(0, now_ms - DISPATCH_MEMORY_MS)}-0"
    await redis.xtrim(redis_names.DISPATCH_STREAM, minid=first_kept, approximate=False)
    old = await _pending(redis, "-", f"({first_kept}", FORGOTTEN_AT_ONCE)
    if old:
        await redis.xack(
            redis_names.DISPATCH_STREAM,
            redis_names.DISPATCH_GROUP,
            *(str(each["message_id"]) for each in old),
        )


async def _pending(redis: Redis, first: str, last: str, count: int) -> list[dict[str, Any]]:
    """What workers were given and did not finish; nothing if no worker has ever read the stream."""
    try:
        pending: list[dict[str, Any]] = await redis.xpending_range(
            redis_names.DISPATCH_STREAM,
            redis_names.DISPATCH_GROUP,
            min=first,
            max=last,
            count=count,
        )
    except ResponseError as error:
        if not str(error).startswith("NOGROUP"):
            raise
        return []
    return pending
