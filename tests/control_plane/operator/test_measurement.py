"""The gauges of the installation say what PostgreSQL and Redis hold."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import uuid4

import pytest
from redis.asyncio import Redis
from sqlalchemy import TextClause, text

from contracts import redis_names
from contracts.call_offer import CallOffer
from control_plane.calling.calls.events import repository as events
from control_plane.operator.measurement import STREAMS, measure_database, measure_streams
from control_plane.operator.measurement_repository import (
    OLDEST_JOB,
    RUNNING_CALLS,
)
from control_plane.platform.database import Database
from control_plane.platform.job_queue import enqueue, rescue_stalled_jobs
from link.dispatch_queue import DispatchQueue
from telemetry import metrics
from tests.control_plane.conftest import TenantClient


def value(metric: object, *labels: str) -> float:
    """Of one series."""
    series = metric.labels(*labels) if labels else metric  # type: ignore[attr-defined]
    [sample] = series.collect()[0].samples
    return float(sample.value)


async def test_calls_that_are_not_over_are_counted_by_status(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    participant = {"transport": "webrtc", "identity": "caller"}
    body = {"agent_id": str(agent_id), "participants": [participant]}
    assert (await tenant.post("/v1/calls", body)).status_code == 201
    await measure_database(database)
    assert value(metrics.CALLS, "connecting") == 1
    assert value(metrics.CALLS, "in_progress") == 0
    assert value(metrics.OUTBOX_AGE) > 0


async def test_parked_events_and_waiting_jobs_are_counted(database: Database) -> None:
    async with database.system_session() as session:
        await events.add_parked_event(session, "1-1", "unreadable", "{}")
        await enqueue(session, rescue_stalled_jobs, timestamp=0)
        await session.flush()
    await measure_database(database)
    assert value(metrics.PARKED_EVENTS) == 1
    assert value(metrics.JOB_QUEUE, "default", "todo") == 1
    assert value(metrics.JOB_QUEUE, "default", "failed") == 0
    assert value(metrics.JOB_QUEUE_AGE) > 0


@pytest.mark.parametrize(
    ("query", "index"),
    [
        (RUNNING_CALLS, "ix_calls_running"),
        (OLDEST_JOB, "procrastinate_events_job_id_fkey_v1"),
    ],
)
async def test_what_can_be_long_is_read_by_an_index(
    database: Database, query: TextClause, index: str
) -> None:
    async with database.system_session() as session:
        # The tables of the test are too small for an index to be worth it.
        await session.execute(text("SET LOCAL enable_seqscan = off"))
        plan = "\n".join(await session.scalars(text(f"EXPLAIN {query.text}")))
    assert index in plan


async def test_the_lag_of_a_stream_is_the_age_of_its_oldest_entry(valkey_url: str) -> None:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        await measure_streams(redis)
        assert value(metrics.STREAM_LAG, "events") == 0
        assert value(metrics.DISPATCH_AGE) == 0
        for entry_id in ("1000-0", "2000-0"):
            await redis.xadd(redis_names.EVENT_STREAM, {redis_names.FIELD: "{}"}, id=entry_id)
        await measure_streams(redis)
    assert value(metrics.STREAM_LAG, "events") > 3600
    assert value(metrics.STREAM_ENTRIES, "events") == 2
    assert set(STREAMS) == {"dispatch", "events", "dial_reports"}


async def test_a_call_that_waits_for_its_turn_is_counted_and_ages(valkey_url: str) -> None:
    async with Redis.from_url(valkey_url, decode_responses=True) as redis:
        queue, tenant_id = DispatchQueue(redis), uuid4()
        for _ in range(3):
            await queue.add(CallOffer.made(uuid4(), tenant_id, datetime.now(UTC)), "{}", None)
        await measure_streams(redis)
        assert value(metrics.WAITING_CALLS) == 2
        await redis.delete(redis_names.DISPATCH_STREAM)
        await measure_streams(redis)
        assert value(metrics.DISPATCH_AGE) > 0
