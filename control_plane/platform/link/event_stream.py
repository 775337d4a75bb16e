"""The streams of workers' events and of bridges' reports, each read by the group ``control-plane``.

An entry leaves its stream only when it has been applied or parked. What a stream holds is therefore
what is still to be done.

Workers' events come in shards by call, so that each call's events are consumed by one process at a
time. Until shards are announced, and from workers of release 0.1, they come in one stream.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Collection
from uuid import UUID

from redis.asyncio import Redis

from contracts import redis_names
from link.consumer_group import ConsumerGroup, read_new, reclaim
from link.stream_entry import StreamEntry
from link.streams import all_entries

BLOCK_SECONDS = 1.0
BATCH = 1000
"""Entries read at once. An event costs less the more events of its call are applied with it."""
LEAST_BATCH = 100
"""Entries of one shard read at once, at least."""
LEFT_IDLE_MS = 30_000
"""An entry of another process's shard that is idle for longer was left to everybody, or its process
has been gone for long."""

SHARDS = tuple(redis_names.event_shard(number) for number in range(redis_names.EVENT_SHARDS))
EVENT_STREAMS = (redis_names.EVENT_STREAM, *SHARDS)


class EventStreams:
    """One consumer of the workers' events. Every method raises ``RedisError`` or ``OSError`` while
    Redis is away.

    Args:
        redis: allows for ``BLOCK_SECONDS``.
        held: the streams that are this consumer's at the moment.
    """

    def __init__(
        self,
        redis: Redis,
        consumer_name: str,
        held: Callable[[], Collection[str]] = lambda: EVENT_STREAMS,
    ) -> None:
        self._redis = redis
        self._consumer_name = consumer_name
        self._held = held
        self._groups = {stream: _group(redis, stream, consumer_name) for stream in EVENT_STREAMS}

    async def read_new(self) -> list[StreamEntry]:
        """About ``BATCH`` entries that no consumer has been given yet."""
        held = self._held()
        if not held:
            await asyncio.sleep(BLOCK_SECONDS / 10)
            return []
        return await read_new(
            self._redis,
            held,
            redis_names.EVENT_GROUP,
            self._consumer_name,
            batch=max(BATCH // len(held), LEAST_BATCH),
            block_ms=int(BLOCK_SECONDS * 1000),
        )

    async def reclaim(self, min_idle_ms: int) -> list[StreamEntry]:
        """Entries given to any consumer at least ``min_idle_ms`` ago and not finished since, and
        those of other processes' shards that were left to everybody."""
        held = frozenset(self._held())
        return await reclaim(
            self._redis,
            {stream: min_idle_ms if stream in held else LEFT_IDLE_MS for stream in EVENT_STREAMS},
            redis_names.EVENT_GROUP,
            self._consumer_name,
            batch=BATCH,
        )

    async def release(self, entries: Collection[StreamEntry], idle_ms: int) -> None:
        """As ``ConsumerGroup.release``."""
        for stream, its_entries in _by_stream(entries).items():
            await self._groups[stream].release(its_entries, idle_ms)

    async def finish(self, entries: Collection[StreamEntry]) -> None:
        """Remove entries that need no more work."""
        if not entries:
            return
        async with self._redis.pipeline(transaction=True) as pipe:
            for stream, its_entries in _by_stream(entries).items():
                entry_ids = [entry.entry_id for entry in its_entries]
                pipe.xack(stream, redis_names.EVENT_GROUP, *entry_ids)
                pipe.xdel(stream, *entry_ids)
            await pipe.execute()


def unsharded_group(redis: Redis, consumer_name: str) -> ConsumerGroup:
    """A consumer of the one stream for events of any call. ``redis`` allows for
    ``BLOCK_SECONDS``."""
    return _group(redis, redis_names.EVENT_STREAM, consumer_name)


def report_group(redis: Redis, consumer_name: str) -> ConsumerGroup:
    """A consumer of the bridges' reports. ``redis`` allows for ``BLOCK_SECONDS``."""
    return ConsumerGroup(
        redis,
        redis_names.DIAL_REPORT_STREAM,
        redis_names.DIAL_REPORT_GROUP,
        consumer_name,
        batch=BATCH,
        block_ms=int(BLOCK_SECONDS * 1000),
    )


async def waiting_events(redis: Redis, calls: Collection[UUID]) -> AsyncIterator[StreamEntry]:
    """The events that are not finished in the streams of ``calls``, the oldest of each stream
    first. Looking does not claim them."""
    shards = {redis_names.event_shard_of(call, redis_names.EVENT_SHARDS) for call in calls}
    for stream in (redis_names.EVENT_STREAM, *sorted(shards)):
        async for entry in all_entries(redis, stream, page_size=BATCH):
            yield entry


async def stream_lengths(redis: Redis) -> dict[str, int]:
    """How many events wait in each stream: the lag of its consumer.

    Raises:
        RedisError, OSError: Redis is away.
    """
    async with redis.pipeline(transaction=False) as pipe:
        for stream in EVENT_STREAMS:
            pipe.xlen(stream)
        return dict(zip(EVENT_STREAMS, await pipe.execute(), strict=True))


def _by_stream(entries: Collection[StreamEntry]) -> dict[str, list[StreamEntry]]:
    found: dict[str, list[StreamEntry]] = defaultdict(list)
    for entry in entries:
        found[entry.stream].append(entry)
    return found


def _group(redis: Redis, stream: str, consumer_name: str) -> ConsumerGroup:
    return ConsumerGroup(
        redis,
        stream,
        redis_names.EVENT_GROUP,
        consumer_name,
        batch=BATCH,
        block_ms=int(BLOCK_SECONDS * 1000),
    )
