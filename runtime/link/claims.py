"""The leases of calls that this worker has claimed and not begun.

While a worker is cut off from Redis, another one may be given the call. So a claim is renewed and
given back only if no other worker has it.
"""

from __future__ import annotations

from uuid import UUID

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline

from contracts import redis_names

_RENEW = """
local holder = redis.call('GET', KEYS[1])
if holder and holder ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[1], 'EX', ARGV[2])
return 1
"""
_GIVE_BACK = "if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end"


def renew_claim(pipeline: Pipeline, call_id: UUID, worker_id: str) -> None:
    """The pipeline's answer is 0 if another worker has the call."""
    lease = redis_names.call_lease(call_id)
    pipeline.eval(_RENEW, 1, lease, worker_id, redis_names.CLAIM_TTL_SECONDS)


async def give_back_claim(redis: Redis, call_id: UUID, worker_id: str) -> None:
    """
    Raises:
        RedisError, OSError: Redis is away.
    """
    await redis.eval(_GIVE_BACK, 1, redis_names.call_lease(call_id), worker_id)
