"""One consumer of workers' events, as a jobs process runs it: for ``bench.api_events``.

    python -m bench.event_consumer_process DATABASE_URL REDIS_URL

It says ``ready``, consumes from when it is sent a line until its input ends, and then says how many
entries it was given.
"""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Sequence
from uuid import UUID, uuid4

import structlog

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.events.unsharded_events import UnshardedEvents
from control_plane.platform.database import Database
from control_plane.platform.link.event_shards import ShardLeases
from control_plane.platform.link.event_stream import BLOCK_SECONDS
from control_plane.platform.link.redis_client import connect
from link.stream_entry import StreamEntry


class CountingConsumer(EventConsumer):
    given = 0

    async def consume(self, entries: Sequence[StreamEntry]) -> frozenset[UUID]:
        self.given += len(entries)
        return await super().consume(entries)


async def consume(app_url: str, system_url: str, redis_url: str) -> None:
    database = Database(app_url, system_url=system_url, deadline_seconds=60)
    redis = connect(redis_url, longest_block_seconds=BLOCK_SECONDS)
    leases = ShardLeases(redis, str(uuid4()))
    consumer = CountingConsumer(database, redis, leases=leases)
    leasing = asyncio.create_task(leases.run())
    print("ready", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    consuming = [
        asyncio.create_task(consumer.run()),
        asyncio.create_task(UnshardedEvents(redis, leases).run()),
    ]
    await asyncio.to_thread(sys.stdin.readline)
    for task in (*consuming, leasing):
        task.cancel()
    await asyncio.wait([*consuming, leasing])
    print(consumer.given, flush=True)


if __name__ == "__main__":
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    asyncio.run(consume(*sys.argv[1:]))
