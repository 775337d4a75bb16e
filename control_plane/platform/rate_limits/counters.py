"""Counts requests in Redis, in sliding windows that all processes share."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from limits import RateLimitItemPerSecond
from limits.aio.storage import RedisStorage
from limits.aio.strategies import SlidingWindowCounterRateLimiter
from redis.asyncio import ConnectionPool
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from control_plane.platform.rate_limits.quota import WINDOW_SECONDS, Policy, Quota
from link.connection import driver_info

_KEY_PREFIX = "switchboard:rate_limit"
_UNUSED_LOCATION = "redis://localhost:6379"
"""The library requires an address with a port, but connects through the pool that it is given."""


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
        storage = RedisStorage(
            _UNUSED_LOCATION,
            implementation="redispy",
            key_prefix=_KEY_PREFIX,
            # The library's annotation is narrower than its documentation.
            connection_pool=self._pool,  # type: ignore[arg-type]
        )
        self._limiter = SlidingWindowCounterRateLimiter(storage)

    async def count_request(self, clients: Mapping[Policy, str]) -> Verdict:
        """Count a request for each policy's client, up to the first policy whose limit is used up.

        Raises:
            CountersUnavailable: Redis did not answer before the deadline.
        """
        try:
            async with asyncio.timeout(self._deadline_seconds):
                refused_by = await self._hit(clients)
                quotas = await asyncio.gather(
                    *(self._quota(policy, client) for policy, client in clients.items())
                )
        except (RedisError, OSError, TimeoutError) as error:
            raise CountersUnavailable(repr(error)) from error
        return Verdict(tuple(quotas), refused_by)

    async def aclose(self) -> None:
        # What does not close before the deadline is dropped with the process.
        with suppress(RedisError):
            await self._pool.aclose()

    async def _hit(self, clients: Mapping[Policy, str]) -> Policy | None:
        """The first policy whose limit is used up, if there is one."""
        for policy, client in clients.items():
            if not await self._limiter.hit(_item(policy), policy.name, client):
                return policy
        return None

    async def _quota(self, policy: Policy, client: str) -> Quota:
        resets_at, remaining = await self._limiter.get_window_stats(
            _item(policy), policy.name, client
        )
        wait_seconds = math.ceil(resets_at - time.time())
        return Quota(policy, remaining, min(max(1, wait_seconds), WINDOW_SECONDS))


def _item(policy: Policy) -> RateLimitItemPerSecond:
    return RateLimitItemPerSecond(policy.limit, WINDOW_SECONDS)
