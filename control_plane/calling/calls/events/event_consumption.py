"""Everything that a process runs to consume workers' events."""

from __future__ import annotations

import asyncio
from uuid import uuid4

from redis.asyncio import Redis

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.calls.events.unsharded_events import UnshardedEvents
from control_plane.platform.database import Database
from control_plane.platform.link.event_shards import ShardLeases


async def consume_events(database: Database, redis: Redis) -> None:
    """Consume this process's share of the events until cancelled.

    Args:
        redis: a client whose timeout is longer than ``event_stream.BLOCK_SECONDS``.
    """
    leases = ShardLeases(redis, str(uuid4()))
    async with asyncio.TaskGroup() as loops:
        loops.create_task(leases.run())
        loops.create_task(UnshardedEvents(redis, leases).run())
        loops.create_task(EventConsumer(database, redis, leases=leases).run())
