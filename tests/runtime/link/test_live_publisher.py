"""Live messages to a real Valkey that dies and comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from redis.asyncio import Redis

from contracts import redis_names
from contracts.live_messages import LiveMessage, ToolUsed
from runtime.link.live_publisher import MOST_WAITING, STREAM_LENGTH, LivePublisher
from runtime.link.redis_client import connect
from tests.runtime.until import until
from tests.runtime.valkey_process import ValkeyProcess


@pytest.fixture
async def valkey(tmp_path: Path) -> AsyncIterator[ValkeyProcess]:
    directory = tmp_path / "valkey"
    directory.mkdir()
    process = ValkeyProcess(directory)
    await process.start()
    yield process
    await process.kill()


@asynccontextmanager
async def publishing(url: str) -> AsyncIterator[LivePublisher]:
    redis = connect(url)
    publisher = LivePublisher(redis)
    running = asyncio.create_task(publisher.run())
    try:
        yield publisher
    finally:
        running.cancel()
        await asyncio.wait([running])
        await redis.aclose()


def told(name: str) -> LiveMessage:
    return LiveMessage(body=ToolUsed(name=name, is_error=False))


async def arrived(url: str, call_id: UUID) -> list[str]:
    async with Redis.from_url(url, decode_responses=True) as redis:
        entries = await redis.xrange(redis_names.live_stream(call_id))
    messages = [LiveMessage.model_validate_json(fields["json"]) for _, fields in entries]
    return [message.body.name for message in messages if isinstance(message.body, ToolUsed)]


async def test_each_calls_messages_arrive_in_order_and_expire(valkey: ValkeyProcess) -> None:
    one, two = uuid4(), uuid4()
    async with publishing(valkey.url) as publisher:
        for number in range(300):
            publisher.publish(one, told(str(number)))
        publisher.publish(two, told("other"))
        await publisher.wait_all_sent()
    assert await arrived(valkey.url, one) == [str(number) for number in range(300)]
    assert await arrived(valkey.url, two) == ["other"]
    async with Redis.from_url(valkey.url) as redis:
        ttl = await redis.ttl(redis_names.live_stream(one))
    assert 0 < ttl <= redis_names.LIVE_TTL_SECONDS


async def test_a_stream_keeps_the_newest_messages_only(valkey: ValkeyProcess) -> None:
    call_id = uuid4()
    async with publishing(valkey.url) as publisher:
        for number in range(STREAM_LENGTH + 500):
            publisher.publish(call_id, told(str(number)))
        await publisher.wait_all_sent()
    kept = await arrived(valkey.url, call_id)
    # Streams are cut in whole blocks, of a hundred entries.
    assert STREAM_LENGTH <= len(kept) < STREAM_LENGTH + 200
    assert kept[-1] == str(STREAM_LENGTH + 499)


async def test_what_is_told_while_redis_is_away_arrives_when_it_is_back(
    valkey: ValkeyProcess,
) -> None:
    call_id = uuid4()
    async with publishing(valkey.url) as publisher:
        publisher.publish(call_id, told("before"))
        await publisher.wait_all_sent()
        await valkey.lose_everything()
        publisher.publish(call_id, told("meanwhile"))
        await valkey.start()
        publisher.publish(call_id, told("after"))

        async def is_there() -> bool:
            return "after" in await arrived(valkey.url, call_id)

        await until(is_there)
    assert await arrived(valkey.url, call_id) == ["meanwhile", "after"]


async def test_a_redis_that_stays_away_costs_bounded_memory_and_no_time(
    valkey: ValkeyProcess,
) -> None:
    call_id = uuid4()
    async with publishing(valkey.url) as publisher:
        await valkey.kill()
        for number in range(MOST_WAITING + 100):
            publisher.publish(call_id, told(str(number)))
        assert len(publisher._waiting) == MOST_WAITING
        await valkey.start()
        await publisher.wait_all_sent()
    assert (await arrived(valkey.url, call_id))[-1] == str(MOST_WAITING + 99)
