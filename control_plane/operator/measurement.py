"""Keeps the gauges of the installation up to date. They are read on a timer, never in a scrape, so
that scrapes cost nothing and hang on nothing."""

from __future__ import annotations

import time
from collections.abc import Mapping

import structlog
from redis.asyncio import Redis

from contracts import redis_names
from control_plane.operator import measurement_repository
from control_plane.platform.database import Database
from control_plane.platform.errors import DatabaseUnavailable
from control_plane.platform.link.event_stream import EVENT_STREAMS
from link.common_beat import until_beat
from link.connection import LINK_ERRORS
from link.dispatch_queue import DispatchQueue
from link.streams import Fullness, fullness
from telemetry.metrics import (
    CALLS,
    DATABASE_MEASURED_AT,
    DISPATCH_AGE,
    JOB_QUEUE,
    JOB_QUEUE_AGE,
    OUTBOX_AGE,
    PARKED_EVENTS,
    QUEUES,
    RUNNING_STATUSES,
    STREAM_ENTRIES,
    STREAM_LAG,
    WAITING_CALLS,
    listed,
)

INTERVAL_SECONDS = 10.0
STREAMS: Mapping[str, tuple[str, ...]] = {
    "dispatch": (redis_names.DISPATCH_STREAM,),
    "events": EVENT_STREAMS,
    "dial_reports": (redis_names.DIAL_REPORT_STREAM,),
}
"""The streams behind each value of the label."""
_log = structlog.get_logger(__name__)


async def keep_measuring(database: Database, redis: Redis) -> None:
    """Measure until cancelled. While PostgreSQL or Redis is away, the gauges stay as they are, and
    the time of the last measurement shows their age."""
    while True:
        try:
            await measure_database(database)
            await measure_streams(redis)
            DATABASE_MEASURED_AT.set_to_current_time()
        except DatabaseUnavailable:
            _log.warning("measuring_waits_for_database")
        except LINK_ERRORS as error:
            _log.warning("measuring_waits_for_link", error=str(error))
        await until_beat(INTERVAL_SECONDS)


async def measure_database(database: Database) -> None:
    """
    Raises:
        DatabaseUnavailable: try again later.
    """
    async with database.system_session() as session:
        measured = await measurement_repository.measure(session)
    for status in RUNNING_STATUSES:
        CALLS.labels(status).set(measured.running_calls.get(status, 0))
    PARKED_EVENTS.set(measured.parked_events)
    OUTBOX_AGE.set(measured.outbox_age_seconds)
    for queue in (*QUEUES, "other"):
        for status in ("todo", "doing", "failed"):
            count = sum(
                jobs
                for (name, state), jobs in measured.jobs.items()
                if listed(name.partition(".")[0], QUEUES) == queue and state == status
            )
            JOB_QUEUE.labels(queue, status).set(count)
    JOB_QUEUE_AGE.set(measured.job_age_seconds)


async def measure_streams(redis: Redis) -> None:
    """
    Raises:
        RedisError, OSError: Redis is away.
    """
    for name, streams in STREAMS.items():
        found = await fullness(redis, streams)
        ages = [_age_seconds(each) for each in found]
        STREAM_ENTRIES.labels(name).set(sum(each.entries for each in found))
        if name == "dispatch":
            queue = DispatchQueue(redis)
            WAITING_CALLS.set(sum((await queue.waiting()).values()))
            DISPATCH_AGE.set(max(*ages, await queue.longest_wait_seconds(time.time())))
        else:
            STREAM_LAG.labels(name).set(max(ages))


def _age_seconds(stream: Fullness) -> float:
    """Of the oldest entry; finished ones are deleted."""
    oldest = stream.oldest
    return max(0.0, time.time() - oldest.added_at_ms / 1000) if oldest else 0.0
