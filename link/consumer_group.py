"""Reading streams as one consumer of a group, so that each entry goes to one consumer only.

Groups are created where they are missing, which is the case in a new Redis and in one that has lost
its data.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Container, Mapping
from functools import partial
from typing import Any

import structlog
from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import ResponseError

from link.stream_entry import StreamEntry, entries_by_stream, listed_entries

PENDING_PAGE = 100
_FIRST = "0-0"
_log = structlog.get_logger(__name__)


class ConsumerGroup:
    """One consumer's side of one stream. Every method raises ``RedisError`` or ``OSError`` while
    Redis is away.

    Args:
        batch: most entries in one reply.
        block_ms: how long ``read_new`` waits for the first entry.
    """

    def __init__(
        self, redis: Redis, stream: str, group: str, consumer: str, *, batch: int, block_ms: int
    ) -> None:
        self._redis = redis
        self._stream = stream
        self._group = group
        self._consumer = consumer
        self._batch = batch
        self._block_ms = block_ms

    async def read_new(self) -> list[StreamEntry]:
        """Up to ``batch`` entries that no consumer has been given yet."""
        return await read_new(
            self._redis,
            [self._stream],
            self._group,
            self._consumer,
            batch=self._batch,
            block_ms=self._block_ms,
        )

    async def reclaim(self, min_idle_ms: int, limit: int | None = None) -> list[StreamEntry]:
        """Entries given to any consumer at least ``min_idle_ms`` ago and not finished since.

        They are given to this consumer now. Stops once it has ``limit`` of them.
        """
        reclaimed: list[StreamEntry] = []
        cursor = _FIRST
        while True:
            page = self._batch if limit is None else min(self._batch, limit - len(reclaimed))
            claim = partial(
                self._redis.xautoclaim,
                self._stream,
                self._group,
                self._consumer,
                min_idle_ms,
                start_id=cursor,
                count=page,
            )
            reply = await self._in_group(claim)
            cursor = str(reply[0])
            reclaimed += _of_stream(self._stream, listed_entries(reply[1]))
            if cursor == _FIRST or (limit is not None and len(reclaimed) >= limit):
                return reclaimed

    async def take_over(self, min_idle_ms: int, *, besides: Container[str]) -> StreamEntry | None:
        """The oldest entry that ``reclaim`` would give, apart from those with an id in ``besides``.

        Those stay where they are, so that other consumers can have them.
        """
        first = "-"
        while True:
            look = partial(
                self._redis.xpending_range,
                self._stream,
                self._group,
                min=first,
                max="+",
                count=PENDING_PAGE,
                idle=min_idle_ms,
            )
            page = [str(each["message_id"]) for each in await self._in_group(look)]
            for entry_id in page:
                if entry_id in besides:
                    continue
                claimed = await self._redis.xclaim(
                    self._stream, self._group, self._consumer, min_idle_ms, [entry_id]
                )
                # Nothing if another consumer was faster, or if the entry was deleted meanwhile.
                for entry in _of_stream(self._stream, listed_entries(claimed)):
                    return entry
            if len(page) < PENDING_PAGE:
                return None
            first = f"({page[-1]}"

    async def release(self, entries: Collection[StreamEntry], idle_ms: int) -> None:
        """Leave entries to other consumers, which can have them as if they were idle for
        ``idle_ms``. The entries stay pending until one of the consumers finishes them."""
        if entries:
            await self._redis.xclaim(
                self._stream,
                self._group,
                self._consumer,
                min_idle_time=0,
                message_ids=[entry.entry_id for entry in entries],
                idle=idle_ms,
                justid=True,
            )

    async def finish(self, entries: Collection[StreamEntry]) -> None:
        """Remove entries that need no more work."""
        if not entries:
            return
        async with self._redis.pipeline(transaction=True) as pipe:
            self.finish_within(pipe, entries)
            await pipe.execute()

    def finish_within(self, pipe: Pipeline, entries: Collection[StreamEntry]) -> None:
        """Add to ``pipe`` what ``finish`` does with one entry or more."""
        entry_ids = [entry.entry_id for entry in entries]
        pipe.xack(self._stream, self._group, *entry_ids)
        pipe.xdel(self._stream, *entry_ids)

    async def _in_group(self, command: Callable[[], Awaitable[Any]]) -> Any:
        return await _in_group(self._redis, [self._stream], self._group, command)


async def read_new(
    redis: Redis,
    streams: Collection[str],
    group: str,
    consumer: str,
    *,
    batch: int,
    block_ms: int,
    noack: bool = False,
) -> list[StreamEntry]:
    """Entries of ``streams`` that no consumer of ``group`` has been given yet, up to ``batch`` of
    each; waits up to ``block_ms`` for the first.

    Args:
        noack: an entry counts as finished once it is read, and is lost if its reader dies.

    Raises:
        RedisError, OSError: Redis is away.
    """
    wanted: dict[Any, Any] = dict.fromkeys(streams, ">")
    reply = await _in_group(
        redis,
        streams,
        group,
        lambda: redis.xreadgroup(group, consumer, wanted, count=batch, block=block_ms, noack=noack),
    )
    return [
        entry
        for stream, entries in entries_by_stream(reply).items()
        for entry in _of_stream(stream, entries)
    ]


async def reclaim(
    redis: Redis, min_idle_ms: Mapping[str, int], group: str, consumer: str, *, batch: int
) -> list[StreamEntry]:
    """As ``ConsumerGroup.reclaim`` from many streams, all in one request to Redis. More requests
    follow for streams with more than ``batch`` entries.

    Args:
        min_idle_ms: of each stream.

    Raises:
        RedisError, OSError: Redis is away.
    """
    reclaimed: list[StreamEntry] = []
    cursors = dict.fromkeys(min_idle_ms, _FIRST)
    while cursors:
        async with redis.pipeline(transaction=False) as pipe:
            for stream, cursor in cursors.items():
                pipe.xautoclaim(
                    stream, group, consumer, min_idle_ms[stream], start_id=cursor, count=batch
                )
            replies = await pipe.execute(raise_on_error=False)
        asked, cursors = cursors, {}
        for stream, reply in zip(asked, replies, strict=True):
            if isinstance(reply, ResponseError) and str(reply).startswith("NOGROUP"):
                # Nothing was ever read from it, so nothing is pending.
                await _create_group(redis, stream, group)
                continue
            if isinstance(reply, Exception):
                raise reply
            reclaimed += _of_stream(stream, listed_entries(reply[1]))
            if str(reply[0]) != _FIRST:
                cursors[stream] = str(reply[0])
    return reclaimed


def _of_stream(stream: str, entries: list[StreamEntry]) -> list[StreamEntry]:
    return [entry._replace(stream=stream) for entry in entries]


async def _in_group(
    redis: Redis, streams: Collection[str], group: str, command: Callable[[], Awaitable[Any]]
) -> Any:
    """Run ``command``; if the group is missing, create it first."""
    try:
        return await command()
    except ResponseError as error:
        if not str(error).startswith("NOGROUP"):
            raise
    for stream in streams:
        await _create_group(redis, stream, group)
    return await command()


async def _create_group(redis: Redis, stream: str, group: str) -> None:
    try:
        await redis.xgroup_create(stream, group, id="0", mkstream=True)
    except ResponseError as error:
        if not str(error).startswith("BUSYGROUP"):
            raise
    else:
        _log.info("link.group_created", stream=stream, group=group)
