"""The streams of workers' events and of bridges' reports, each read by the group ``control-plane``.

An entry leaves its stream only when it has been applied or parked. What a stream holds is therefore
what is still to be done.
"""

from __future__ import annotations

from collections.abc import AsyncIterator

from redis.asyncio import Redis

from contracts import redis_names
from link.consumer_group import ConsumerGroup
from link.stream_entry import StreamEntry
from link.streams import all_entries

BLOCK_SECONDS = 1.0
BATCH = 1000
"""Entries read at once. An event costs less the more events of its call are applied with it."""


def event_group(redis: Redis, consumer_name: str) -> ConsumerGroup:
    """A consumer of the workers' events. ``redis`` allows for ``BLOCK_SECONDS``."""
    return _group(redis, redis_names.EVENT_STREAM, redis_names.EVENT_GROUP, consumer_name)


def report_group(redis: Redis, consumer_name: str) -> ConsumerGroup:
    """A consumer of the bridges' reports. ``redis`` allows for ``BLOCK_SECONDS``."""
    return _group(
        redis, redis_names.DIAL_REPORT_STREAM, redis_names.DIAL_REPORT_GROUP, consumer_name
    )


def waiting_events(redis: Redis) -> AsyncIterator[StreamEntry]:
    """The events that are not finished, oldest first. Looking does not claim them."""
    return all_entries(redis, redis_names.EVENT_STREAM, page_size=BATCH)


def _group(redis: Redis, stream: str, group: str, consumer_name: str) -> ConsumerGroup:
    return ConsumerGroup(
        redis, stream, group, consumer_name, batch=BATCH, block_ms=int(BLOCK_SECONDS * 1000)
    )
