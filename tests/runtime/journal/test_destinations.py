"""Where a call's events go, and when they stay on disk."""

from __future__ import annotations

from collections.abc import AsyncIterator
from uuid import UUID

import pytest
from redis.asyncio import Redis
from structlog.testing import capture_logs

from contracts import redis_names
from runtime.journal.destinations import Destinations

CALL, OTHER = UUID(int=7), UUID(int=8)


@pytest.fixture
async def redis(valkey_url: str) -> AsyncIterator[Redis]:
    client: Redis = Redis.from_url(valkey_url, decode_responses=True)
    yield client
    await client.aclose()


async def test_without_an_announcement_every_release_can_read_the_events(redis: Redis):
    destinations = Destinations(redis, 100)
    assert not await destinations.look([CALL])
    assert destinations.stream_of(CALL) == redis_names.EVENT_STREAM


async def test_the_announcement_says_how_many_shards_there_are(redis: Redis):
    await redis.set(redis_names.ANNOUNCED_SHARDS, 5)
    destinations = Destinations(redis, 100)
    assert not await destinations.look([CALL, OTHER])
    assert destinations.stream_of(CALL) == redis_names.event_shard(2)
    assert destinations.stream_of(OTHER) == redis_names.event_shard(3)


async def test_the_end_of_the_announcement_is_noticed_once(redis: Redis):
    await redis.set(redis_names.ANNOUNCED_SHARDS, 5)
    destinations = Destinations(redis, 100)
    await destinations.look([CALL])
    await redis.delete(redis_names.ANNOUNCED_SHARDS)
    assert await destinations.look([CALL]), "nobody may be reading the shards"
    assert destinations.stream_of(CALL) == redis_names.EVENT_STREAM
    assert not await destinations.look([CALL])


async def test_a_full_shard_holds_back_its_own_calls_only(redis: Redis):
    await redis.set(redis_names.ANNOUNCED_SHARDS, 5)
    destinations = Destinations(redis, 10)
    await redis.xadd(redis_names.event_shard(2), {"json": "{}"})
    await destinations.look([CALL, OTHER])
    assert destinations.has_room(CALL)
    assert not destinations.are_backed_up
    with capture_logs() as logs:
        await redis.xadd(redis_names.event_shard(2), {"json": "{}"})
        await destinations.look([CALL, OTHER])
        assert not destinations.has_room(CALL)
        assert destinations.has_room(OTHER)
        assert destinations.are_backed_up
        await destinations.look([CALL, OTHER])
        await redis.xtrim(redis_names.event_shard(2), maxlen=1, approximate=False)
        await destinations.look([CALL, OTHER])
    assert destinations.has_room(CALL)
    assert [entry["event"] for entry in logs] == ["events.held_back", "events.flow_again"]
