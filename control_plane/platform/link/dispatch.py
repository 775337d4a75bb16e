"""Calls on their way to a worker."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names
from contracts.call_offer import CallOffer
from link.dispatch_queue import DispatchQueue

DISPATCH_MEMORY_MS = 300_000
"""Offers that are older have long been claimed or have expired."""
FORGOTTEN_AT_ONCE = 1000


async def dispatch(
    redis: Redis, offer: CallOffer, plan_document: str, weight: int | None = None
) -> str | None:
    """Offer a call to the workers, with its plan as JSON, when its tenant's turn comes.

    Args:
        weight: how many calls the tenant may send in one turn; ``None``: as before.

    Returns:
        The id of its entry on the dispatch stream, if its turn was at once.

    Raises:
        RedisError: the call may or may not have been offered; offering it again is harmless.
    """
    return await DispatchQueue(redis).add(offer, plan_document, weight)


async def times_given(redis: Redis, call_id: UUID, entry_id: str | None) -> int:
    """How many times a call's offer was given to a worker that did not finish it.

    Args:
        entry_id: of its entry on the dispatch stream, if that was known when it was offered.
    """
    entry_id = await DispatchQueue(redis).entry_of(call_id) or entry_id
    if entry_id is None:
        return 0
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
