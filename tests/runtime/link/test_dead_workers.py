"""What dead workers left in Redis is forgotten, but no offer that they had."""

from __future__ import annotations

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from contracts import redis_names
from runtime.link.dead_workers import forget_dead_workers

STREAM, GROUP = redis_names.DISPATCH_STREAM, redis_names.DISPATCH_GROUP


async def test_before_the_first_call_there_is_nothing_to_forget(valkey_url: str) -> None:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        with capture_logs() as log:
            await forget_dead_workers(redis)
            await redis.xadd(STREAM, {redis_names.FIELD: "{}"})
            await forget_dead_workers(redis)
    assert log == []


async def test_only_dead_workers_without_offers_are_forgotten(
    valkey_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("runtime.link.dead_workers.FORGOTTEN_AFTER_SECONDS", -1)
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        await redis.sadd(redis_names.WORKERS, "alive", "dead")
        await redis.set(redis_names.worker_heartbeat("alive"), "{}")
        await redis.xgroup_create(STREAM, GROUP, id="0", mkstream=True)
        await redis.xadd(STREAM, {redis_names.FIELD: "{}"})
        await redis.xreadgroup(GROUP, "died with an offer", {STREAM: ">"}, count=1)
        await redis.xgroup_createconsumer(STREAM, GROUP, "dead")
        await forget_dead_workers(redis)
        assert await redis.smembers(redis_names.WORKERS) == {"alive"}
        left = await redis.xinfo_consumers(STREAM, GROUP)
        assert [each["name"] for each in left] == ["died with an offer"]
