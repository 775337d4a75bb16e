"""Reading without a group, against a real Valkey."""

from __future__ import annotations

import asyncio

import pytest
from redis.asyncio import Redis

from link.stream_entry import StreamEntry
from link.streams import (
    BEFORE_ALL,
    Fullness,
    all_entries,
    fullness,
    kept_entries,
    newest_position,
    read_after,
    read_streams,
)


async def add(redis: Redis, stream: str, *documents: str) -> list[StreamEntry]:
    return [StreamEntry(str(await redis.xadd(stream, {"json": each})), each) for each in documents]


async def test_the_newest_position_of_an_empty_stream_is_before_all(redis: Redis) -> None:
    assert await newest_position(redis, "a") == BEFORE_ALL
    *_, newest = await add(redis, "a", "1", "2")
    assert await newest_position(redis, "a") == newest.entry_id


async def test_a_reader_gets_what_comes_after_its_position(redis: Redis) -> None:
    one, two, three = await add(redis, "a", "1", "2", "3")
    assert await read_after(redis, "a", BEFORE_ALL, block_ms=1, count=2) == [one, two]
    assert await read_after(redis, "a", two.entry_id, block_ms=1) == [three]
    assert await read_after(redis, "a", three.entry_id, block_ms=1) == []


async def test_a_reader_waits_for_the_first_entry(redis: Redis, valkey_url: str) -> None:
    reading = asyncio.create_task(read_after(redis, "a", BEFORE_ALL, block_ms=5_000))
    async with Redis.from_url(valkey_url) as other:
        async with asyncio.timeout(4):
            while not any("xread" in each["cmd"] for each in await other.client_list()):
                pass
        await other.xadd("a", {"json": "1"})
    async with asyncio.timeout(4):
        assert [entry.document for entry in await reading] == ["1"]


async def test_several_streams_are_read_at_once(redis: Redis) -> None:
    [one] = await add(redis, "a", "1")
    [two] = await add(redis, "b", "2")
    positions = {"a": BEFORE_ALL, "b": BEFORE_ALL, "c": BEFORE_ALL}
    assert await read_streams(redis, positions, block_ms=1) == {"a": [one], "b": [two]}
    assert await read_streams(redis, positions | {"a": one.entry_id}, block_ms=1) == {"b": [two]}


async def test_what_a_stream_keeps_is_read_without_waiting(redis: Redis) -> None:
    one, two, three = await add(redis, "a", "1", "2", "3")
    assert await kept_entries(redis, "a") == [one, two, three]
    assert await kept_entries(redis, "a", after=one.entry_id, count=1) == [two]
    assert await kept_entries(redis, "b") == []


@pytest.mark.parametrize("page_size", [1, 2, 3, 4])
async def test_all_entries_come_page_by_page(redis: Redis, page_size: int) -> None:
    added = await add(redis, "a", "1", "2", "3")
    assert [entry async for entry in all_entries(redis, "a", page_size=page_size)] == added


async def test_how_full_streams_are_is_read_at_once(redis: Redis) -> None:
    one, _ = await add(redis, "a", "1", "2")
    assert await fullness(redis, ["a", "b"]) == [Fullness(2, one), Fullness(0, None)]
