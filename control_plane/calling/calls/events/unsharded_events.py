"""Moves events from the one stream of all calls to their shards.

Workers of release 0.1 write there, and later ones do while no jobs process of theirs is running. A
jobs process of release 0.1 may read the stream at the same time and apply what it reads: whatever
becomes of an event, its call's row says whether it is applied.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence

from redis.asyncio import Redis

from contracts import redis_names
from contracts.versions import call_id_in
from control_plane.platform.link.event_shards import ShardLeases
from control_plane.platform.link.event_stream import SHARDS, unsharded_group
from link.persistent_loop import run_persistently
from link.stream_entry import StreamEntry

CONSUMER_NAME = "jobs"
SWEEP_INTERVAL_SECONDS = 2.0
IDLE_SECONDS = 0.2


class UnshardedEvents:
    """One process at a time moves them, so that they arrive in order.

    Args:
        redis: a client whose timeout is longer than ``event_stream.BLOCK_SECONDS``.
    """

    def __init__(self, redis: Redis, leases: ShardLeases) -> None:
        self._redis = redis
        self._leases = leases
        self._stream = unsharded_group(redis, CONSUMER_NAME)
        self._swept_at = float("-inf")

    async def run(self) -> None:
        """Move until cancelled."""
        await run_persistently("unsharded_events", self._move_next)

    async def _move_next(self) -> None:
        if not self._leases.holds_unsharded:
            await asyncio.sleep(IDLE_SECONDS)
            return
        if time.monotonic() - self._swept_at >= SWEEP_INTERVAL_SECONDS:
            await self.move(await self._stream.reclaim(int(SWEEP_INTERVAL_SECONDS * 1000)))
            self._swept_at = time.monotonic()
        await self.move(await self._stream.read_new())

    async def move(self, entries: Sequence[StreamEntry]) -> None:
        """Add the entries to their shards and remove them here, all or nothing.

        Raises:
            RedisError, OSError: whatever was not moved comes again.
        """
        if not entries:
            return
        entry_ids = [entry.entry_id for entry in entries]
        async with self._redis.pipeline(transaction=True) as pipe:
            for entry in entries:
                pipe.xadd(_shard_of(entry), {redis_names.FIELD: entry.document})
            pipe.xack(redis_names.EVENT_STREAM, redis_names.EVENT_GROUP, *entry_ids)
            pipe.xdel(redis_names.EVENT_STREAM, *entry_ids)
            await pipe.execute()


def _shard_of(entry: StreamEntry) -> str:
    call_id = call_id_in(entry.document)
    if call_id is None:
        return SHARDS[0]  # Its consumer parks it.
    return redis_names.event_shard_of(call_id, redis_names.EVENT_SHARDS)
