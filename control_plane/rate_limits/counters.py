"""Counting requests in Redis: every limit of a request in one round trip."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from control_plane.rate_limits.quota import WINDOW_SECONDS, Policy, Quota

_KEY_PREFIX = "switchboard:rate_limit:"

# KEYS: a hash for each limit. ARGV: the window in ms, then the limits.
# Counts the request under every key, or under none if one of them is used up. Answers with what
# it decided, and for each key the previous count, the current one and the window's age in ms.
# A key's first window begins with its first request.
_COUNT_REQUEST = """
local window_ms = tonumber(ARGV[1])
local time = redis.call('TIME')
local now_ms = time[1] * 1000 + math.floor(time[2] / 1000)
local started, counts, is_admitted = {}, {}, 1
for i, key in ipairs(KEYS) do
  local stored = redis.call('HMGET', key, 'started_ms', 'previous', 'current')
  local started_ms = tonumber(stored[1])
  local previous, current = tonumber(stored[2]), tonumber(stored[3])
  if not started_ms or now_ms - started_ms >= 2 * window_ms then
    started_ms, previous, current = now_ms, 0, 0
  elseif now_ms - started_ms >= window_ms then
    started_ms, previous, current = started_ms + window_ms, current, 0
  end
  local elapsed_ms = now_ms - started_ms
  local used = math.floor(previous * (1 - elapsed_ms / window_ms)) + current
  if used >= tonumber(ARGV[i + 1]) then
    is_admitted = 0
  end
  started[i], counts[i] = started_ms, {previous, current, elapsed_ms}
end
if is_admitted == 1 then
  for i, key in ipairs(KEYS) do
    counts[i][2] = counts[i][2] + 1
    redis.call('HSET', key, 'started_ms', started[i], 'previous', counts[i][1],
               'current', counts[i][2])
    redis.call('PEXPIRE', key, 2 * window_ms)
  end
end
return {is_admitted, counts}
"""


class CountersUnavailable(Exception):
    """Redis is away, hangs or is slow."""


@dataclass(frozen=True)
class Verdict:
    is_admitted: bool
    quotas: tuple[Quota, ...]


class RequestCounters:
    """The counters that all processes of an installation share.

    Args:
        deadline_seconds: longest wait for Redis, connecting included.
    """

    def __init__(self, redis_url: str, *, deadline_seconds: float) -> None:
        self._deadline_seconds = deadline_seconds
        self._redis: Redis = Redis.from_url(
            redis_url,
            socket_connect_timeout=deadline_seconds,
            socket_timeout=deadline_seconds,
            # The deadline leaves no time for another try.
            retry=Retry(NoBackoff(), retries=0),
        )
        self._count_request = self._redis.register_script(_COUNT_REQUEST)

    async def count_request(self, clients: Mapping[Policy, str]) -> Verdict:
        """Count a request of ``clients`` (by policy, whom it limits) unless a limit is reached.

        Raises:
            CountersUnavailable: no answer before the deadline.
        """
        keys = [f"{_KEY_PREFIX}{policy.name}:{client}" for policy, client in clients.items()]
        limits = [policy.limit for policy in clients]
        try:
            async with asyncio.timeout(self._deadline_seconds):
                is_admitted, counts = await self._count_request(
                    keys=keys, args=[WINDOW_SECONDS * 1000, *limits]
                )
        except (RedisError, OSError, TimeoutError) as error:
            raise CountersUnavailable(repr(error)) from error
        quotas = (Quota(policy, *count) for policy, count in zip(clients, counts, strict=True))
        return Verdict(bool(is_admitted), tuple(quotas))

    async def aclose(self) -> None:
        await self._redis.aclose()
