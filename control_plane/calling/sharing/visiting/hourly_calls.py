"""Counts the calls of each address on each link, in a sliding hour that all processes share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import UUID, uuid4

import structlog
from redis.asyncio import Redis

from control_plane.calling.sharing.errors import ShareLinkRateLimited
from control_plane.platform.link.link import LinkUnavailable
from link.connection import LINK_ERRORS

WINDOW_MS = 3600 * 1000
_log = structlog.get_logger(__name__)
_KEY_PREFIX = "switchboard:shared-calls"
_TAKE = """
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local window_ms, limit = tonumber(ARGV[1]), tonumber(ARGV[2])
redis.call('ZREMRANGEBYSCORE', KEYS[1], 0, now_ms - window_ms)
if redis.call('ZCARD', KEYS[1]) >= limit then
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    return math.max(1, tonumber(oldest[2]) + window_ms - now_ms)
end
redis.call('ZADD', KEYS[1], now_ms, ARGV[3])
redis.call('PEXPIRE', KEYS[1], window_ms)
return 0
"""
"""Adds a call and returns 0, or returns for how many milliseconds there is no room for it."""


@asynccontextmanager
async def counted_call(
    redis: Redis, share_id: UUID, address: str, limit: int
) -> AsyncIterator[None]:
    """Count one call for as long as the block succeeds; a call that was refused does not count.

    Args:
        address: an IPv4 address, or the /64 network of an IPv6 address.
        limit: calls an hour.

    Raises:
        ShareLinkRateLimited: the address has used its calls.
        LinkUnavailable: Redis cannot be reached, so nobody knows whether it has.
    """
    key, call = f"{_KEY_PREFIX}:{share_id}:{address}", uuid4().hex
    try:
        wait_ms = int(await redis.eval(_TAKE, 1, key, WINDOW_MS, limit, call))
    except LINK_ERRORS as error:
        raise LinkUnavailable("Calls cannot be counted now, so none begins; try again") from error
    if wait_ms > 0:
        raise ShareLinkRateLimited(limit, -(-wait_ms // 1000))
    try:
        yield
    except Exception:
        try:
            await redis.zrem(key, call)
        except LINK_ERRORS as error:
            # It counts for an hour, which is the safe side.
            _log.warning("refused_call_counted", share_id=str(share_id), error=str(error))
        raise
