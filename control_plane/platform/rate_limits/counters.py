"""Counts requests in Redis, in sliding windows that all processes share."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from redis.asyncio import ConnectionPool, Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from control_plane.platform.rate_limits.quota import Policy, Quota
from control_plane.platform.rate_limits.sliding_window import WINDOW_MS, SlidingWindow
from link.connection import driver_info

_KEY_PREFIX = "switchboard:requests"

_COUNT = """
local window_ms = tonumber(ARGV[1])
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local refused_by, windows = 0, {}
for position, key in ipairs(KEYS) do
    local limit = tonumber(ARGV[position + 1])
    local found = redis.call('HMGET', key, 'began_ms', 'current', 'previous')
    local began_ms = tonumber(found[1]) or now_ms
    local current, previous = tonumber(found[2]) or 0, tonumber(found[3]) or 0
    local passed_ms = now_ms - began_ms
    if passed_ms >= 2 * window_ms then
        current, previous, passed_ms = 0, 0, 0
    elseif passed_ms >= window_ms then
        current, previous, passed_ms = 0, current, passed_ms - window_ms
    end
    local used = math.floor(previous * (window_ms - passed_ms) / window_ms) + current
    if refused_by == 0 and used >= limit then
        refused_by = position
    elseif refused_by == 0 then
        current = current + 1
        redis.call(
            'HSET', key, 'began_ms', now_ms - passed_ms, 'current', current, 'previous', previous
        )
        redis.call('PEXPIRE', key, 2 * window_ms - passed_ms)
    end
    windows[position] = {previous, current, passed_ms}
end
return {refused_by, windows}
"""
"""Counts a request for each key, up to the first whose limit is used up. One message: every request
to the API waits for it. Returns the place of that key, or 0, and the ``SlidingWindow`` of each."""


class CountersUnavailable(Exception):
    """Redis is down or too slow."""


@dataclass(frozen=True)
class Verdict:
    quotas: tuple[Quota, ...]
    refused_by: Policy | None = None
    """The policy whose limit is used up."""


class RequestCounters:
    """
    Args:
        deadline_seconds: the longest wait for Redis, including connecting.
    """

    def __init__(self, redis_url: str, *, deadline_seconds: float) -> None:
        self._deadline_seconds = deadline_seconds
        self._pool = ConnectionPool.from_url(
            redis_url,
            socket_connect_timeout=deadline_seconds,
            socket_timeout=deadline_seconds,
            # The deadline leaves no time for a retry.
            retry=Retry(NoBackoff(), retries=0),
            driver_info=driver_info(),
        )
        self._count = Redis(connection_pool=self._pool).register_script(_COUNT)

    async def count_request(self, clients: Mapping[Policy, str]) -> Verdict:
        """Count a request for each policy's client, up to the first policy whose limit is used up.

        Raises:
            CountersUnavailable: Redis did not answer before the deadline.
        """
        policies = list(clients)
        try:
            async with asyncio.timeout(self._deadline_seconds):
                refused_by, windows = await self._count(
                    keys=[f"{_KEY_PREFIX}:{each.name}:{clients[each]}" for each in policies],
                    args=[WINDOW_MS, *(each.limit for each in policies)],
                )
        except (RedisError, OSError, TimeoutError) as error:
            raise CountersUnavailable(repr(error)) from error
        quotas = (
            SlidingWindow(*map(int, window)).quota(policy)
            for policy, window in zip(policies, windows, strict=True)
        )
        return Verdict(tuple(quotas), policies[refused_by - 1] if refused_by else None)

    async def aclose(self) -> None:
        # What does not close before the deadline is dropped with the process.
        with suppress(RedisError):
            await self._pool.aclose()
