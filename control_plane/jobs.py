"""The jobs process: all work of the control plane that is not part of a client's request."""

from __future__ import annotations

import asyncio
from functools import partial

import structlog
from procrastinate.exceptions import ConnectorException

from control_plane.calling.batches import tasks as batch_tasks
from control_plane.calling.calls.count_folding import keep_folding
from control_plane.calling.calls.creating.dispatcher import keep_advancing, keep_redispatching
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.calling.dialing.report_consumer import ReportConsumer
from control_plane.calling.dialing.scheduler import DialingScheduler
from control_plane.calling.erasure import tasks as erasure_tasks
from control_plane.calling.intelligence import tasks as intelligence_tasks
from control_plane.calling.reaper.reaper import Reaper
from control_plane.calling.recordings import tasks as recording_tasks
from control_plane.calling.retention import tasks as retention_tasks
from control_plane.identity.accounts import tasks as account_tasks
from control_plane.money.billing import tasks as billing_tasks
from control_plane.operator.measurement import keep_measuring
from control_plane.platform.database import Database
from control_plane.platform.idempotency import tasks as idempotency_tasks
from control_plane.platform.job_queue import (
    PATIENT_QUEUE,
    RECORDINGS_QUEUE,
    job_queue,
    job_resources,
    worker_connector,
)
from control_plane.platform.link.event_stream import BLOCK_SECONDS
from control_plane.platform.link.redis_client import connect
from control_plane.platform.settings import ControlPlaneSettings
from link.connection import answers
from telemetry.health import Health

JOB_DOMAINS = (
    account_tasks,
    batch_tasks,
    billing_tasks,
    erasure_tasks,
    idempotency_tasks,
    intelligence_tasks,
    recording_tasks,
    retention_tasks,
)
"""Modules that declare jobs. The worker knows only the jobs of imported modules."""

JOBS_AT_ONCE = {"default": 4, PATIENT_QUEUE: 16, RECORDINGS_QUEUE: 1}
"""By queue."""
QUEUE_RETRY_SECONDS = 2.0
_log = structlog.get_logger(__name__)


async def run_jobs(
    settings: ControlPlaneSettings, stop: asyncio.Event, health: Health | None = None
) -> None:
    """Consume events, dispatch, dial, reap and run jobs until ``stop`` is set.

    It survives outages of PostgreSQL and Redis. Any other error ends the process, and its
    supervisor starts it again: all its work is recorded in PostgreSQL or in the event stream.
    """
    database = Database(settings.database_url, deadline_seconds=settings.request_deadline_seconds)
    redis = connect(settings.redis_url)
    patient_redis = connect(settings.redis_url, longest_block_seconds=BLOCK_SECONDS)
    if health is not None:
        health.watch("PostgreSQL does not answer.", database.answers)
        health.watch("Redis does not answer.", partial(answers, redis))
    try:
        async with asyncio.TaskGroup() as group:
            loops = [
                group.create_task(EventConsumer(database, patient_redis).run()),
                group.create_task(keep_redispatching(database, redis)),
                group.create_task(keep_advancing(redis)),
                group.create_task(keep_folding(database)),
                group.create_task(keep_measuring(database, redis)),
                group.create_task(Reaper(database, redis).run()),
                group.create_task(DialingScheduler(database, redis, settings.dialing).run()),
                group.create_task(ReportConsumer(database, patient_redis).run()),
                group.create_task(_run_queues(database, settings)),
            ]
            _log.info("jobs_started")
            await stop.wait()
            for loop in loops:
                loop.cancel()
    finally:
        await database.aclose()
        await redis.aclose()
        await patient_redis.aclose()
        _log.info("jobs_stopped")


async def _run_queues(database: Database, settings: ControlPlaneSettings) -> None:
    """Run the queued jobs until cancelled, also across outages of PostgreSQL."""
    while True:
        try:
            with job_queue.replace_connector(worker_connector(settings.database_url)):
                async with job_queue.open_async(), asyncio.TaskGroup() as workers:
                    for queue, concurrency in JOBS_AT_ONCE.items():
                        workers.create_task(
                            job_queue.run_worker_async(
                                queues=[queue],
                                concurrency=concurrency,
                                install_signal_handlers=False,
                                additional_context=job_resources(database, settings),
                                delete_jobs="successful",
                                shutdown_graceful_timeout=1.0,
                            )
                        )
        except* ConnectorException as lost:
            _log.warning("job_queue_unavailable", error=str(lost.exceptions[0]))
            await asyncio.sleep(QUEUE_RETRY_SECONDS)
