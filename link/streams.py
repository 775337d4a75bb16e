"""Reading streams without a consumer group: the reader keeps its own position."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, NamedTuple

from redis.asyncio import Redis

from link.stream_entry import StreamEntry, entries_by_stream, listed_entries

BEFORE_ALL = "0-0"
"""The position before a stream's first entry."""


async def newest_position(redis: Redis, stream: str) -> str:
    """The id of the stream's newest entry; ``BEFORE_ALL`` if it is empty.

    Raises:
        RedisError, OSError: Redis is away. The same is true of every function here.
    """
    newest = listed_entries(await redis.xrevrange(stream, count=1))
    return newest[0].entry_id if newest else BEFORE_ALL


async def read_after(
    redis: Redis, stream: str, position: str, *, block_ms: int, count: int | None = None
) -> list[StreamEntry]:
    """Up to ``count`` entries after ``position``; waits up to ``block_ms`` for the first."""
    found = await read_streams(redis, {stream: position}, block_ms=block_ms, count=count)
    return found.get(stream, [])


async def read_streams(
    redis: Redis, positions: Mapping[str, str], *, block_ms: int, count: int | None = None
) -> dict[str, list[StreamEntry]]:
    """As ``read_after``, of several streams at once; ``count`` is the limit for each of them."""
    wanted: dict[Any, Any] = dict(positions)
    return entries_by_stream(await redis.xread(wanted, count=count, block=block_ms))


async def kept_entries(
    redis: Redis, stream: str, *, after: str = BEFORE_ALL, count: int | None = None
) -> list[StreamEntry]:
    """Up to ``count`` entries after ``after`` that the stream holds now, oldest first."""
    return listed_entries(await redis.xrange(stream, min=f"({after}", count=count))


class Fullness(NamedTuple):
    """What a stream holds."""

    entries: int
    oldest: StreamEntry | None


async def fullness(redis: Redis, streams: Sequence[str]) -> list[Fullness]:
    """Of each stream, all in one message to Redis."""
    async with redis.pipeline(transaction=False) as pipe:
        for stream in streams:
            pipe.xlen(stream)
            pipe.xrange(stream, count=1)
        replies = await pipe.execute()
    return [
        Fullness(int(length), next(iter(listed_entries(first)), None))
        for length, first in zip(replies[::2], replies[1::2], strict=True)
    ]


async def all_entries(redis: Redis, stream: str, *, page_size: int) -> AsyncIterator[StreamEntry]:
    """Everything that the stream holds, oldest first."""
    position = BEFORE_ALL
    while True:
        page = await kept_entries(redis, stream, after=position, count=page_size)
        for entry in page:
            yield entry
        if len(page) < page_size:
            return
        position = page[-1].entry_id
