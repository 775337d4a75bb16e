"""What dead workers leave in Redis. Each start of a worker has an id of its own, so without this it
would grow for ever. A worker that starts tidies up."""

from __future__ import annotations

import structlog
from redis.asyncio import Redis
from redis.exceptions import ResponseError

from contracts import redis_names
from link.connection import LINK_ERRORS

FORGOTTEN_AFTER_SECONDS = 3600

logger = structlog.get_logger(__name__)


async def forget_dead_workers(redis: Redis) -> None:
    """Take workers without a heartbeat off the list, and their names off the dispatch stream.

    Consumers with offers that they did not finish stay, until others have taken those over.
    """
    try:
        await _forget_names(redis)
        await _forget_consumers(redis)
    except LINK_ERRORS as error:
        logger.warning("worker.dead_not_forgotten", error=str(error))


async def _forget_names(redis: Redis) -> None:
    for worker_id in await redis.smembers(redis_names.WORKERS):
        if not await redis.exists(redis_names.worker_heartbeat(str(worker_id))):
            await redis.srem(redis_names.WORKERS, str(worker_id))


async def _forget_consumers(redis: Redis) -> None:
    stream, group = redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP
    try:
        consumers = await redis.xinfo_consumers(stream, group)
    except ResponseError as error:
        # The stream or the group is not there before the first call. The client takes "ERR" away.
        if not str(error).startswith(("no such key", "NOGROUP")):
            raise
        return
    for consumer in consumers:
        if consumer["pending"] == 0 and consumer["idle"] > FORGOTTEN_AFTER_SECONDS * 1000:
            await redis.xgroup_delconsumer(stream, group, consumer["name"])
