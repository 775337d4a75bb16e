"""The jobs process: all work of the control plane that is not part of a client's request."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Coroutine, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import structlog
from procrastinate.exceptions import ConnectorException

from control_plane.building.knowledge_sources import embedding_again as knowledge_embedding
from control_plane.building.knowledge_sources import old_bundles as knowledge_deletion
from control_plane.building.knowledge_sources import tasks as knowledge_tasks
from control_plane.calling.batches import tasks as batch_tasks
from control_plane.calling.calls.count_folding import keep_folding
from control_plane.calling.calls.creating.dispatcher import keep_advancing, keep_redispatching
from control_plane.calling.calls.events.event_consumption import consume_events
from control_plane.calling.calls.open_calls import OpenCalls
from control_plane.calling.carriers.publication import keep_reconciling
from control_plane.calling.chat_sessions import tasks as chat_tasks
from control_plane.calling.dialing.report_consumer import ReportConsumer
from control_plane.calling.dialing.scheduler import DialingScheduler
from control_plane.calling.erasure import tasks as erasure_tasks
from control_plane.calling.inbound.consumer import InboundConsumer
from control_plane.calling.intelligence import tasks as intelligence_tasks
from control_plane.calling.reaper.reaper import Reaper
from control_plane.calling.recordings import tasks as recording_tasks
from control_plane.calling.retention import tasks as retention_tasks
from control_plane.calling.transfers import tasks as transfer_tasks
from control_plane.identity.accounts import tasks as account_tasks
from control_plane.money.billing import tasks as billing_tasks
from control_plane.money.payments import tasks as payment_tasks
from control_plane.money.plans import tasks as plan_tasks
from control_plane.money.spend_alerts import tasks as spend_alert_tasks
from control_plane.notifying.notifications import tasks as notification_tasks
from control_plane.notifying.notifications.channels import enabled_channels
from control_plane.notifying.notifications.fact_consumer import NotificationWriter
from control_plane.notifying.notifications.signals.call_watcher import CallWatcher
from control_plane.notifying.notifications.signals.volume_watcher import VolumeWatcher
from control_plane.notifying.notifications.webhook_preference import webhook_is_preferred
from control_plane.notifying.webhooks import tasks as webhook_tasks
from control_plane.notifying.webhooks.delivering.runner import DeliveryRunner
from control_plane.notifying.webhooks.fan_out import WebhookFanOut
from control_plane.operator.measurement import keep_measuring
from control_plane.platform.database import Database
from control_plane.platform.idempotency import tasks as idempotency_tasks
from control_plane.platform.job_queue import (
    KNOWLEDGE_QUEUE,
    PATIENT_QUEUE,
    RECORDINGS_QUEUE,
    job_queue,
    job_resources,
    queues_of_rescued,
    worker_connector,
)
from control_plane.platform.job_roles import ALL_ROLES, JobRole
from control_plane.platform.link.event_shards import events_are_applied
from control_plane.platform.link.event_stream import BLOCK_SECONDS
from control_plane.platform.link.job_beats import keep_beating
from control_plane.platform.link.redis_client import connect
from control_plane.platform.outbox.facts import FactConsumer
from control_plane.platform.outbox.reader import OutboxReader
from control_plane.platform.partitions import tasks as partition_tasks
from control_plane.platform.settings import ControlPlaneSettings
from link.connection import LINK_ERRORS, answers
from telemetry.health import Health

JOB_DOMAINS = (
    account_tasks,
    batch_tasks,
    billing_tasks,
    chat_tasks,
    erasure_tasks,
    idempotency_tasks,
    intelligence_tasks,
    knowledge_deletion,
    knowledge_embedding,
    knowledge_tasks,
    notification_tasks,
    partition_tasks,
    payment_tasks,
    plan_tasks,
    recording_tasks,
    retention_tasks,
    spend_alert_tasks,
    transfer_tasks,
    webhook_tasks,
)
"""Modules that declare jobs. The worker knows only the jobs of imported modules."""

JOBS_AT_ONCE = {"default": 4, PATIENT_QUEUE: 16, RECORDINGS_QUEUE: 1, KNOWLEDGE_QUEUE: 1}
"""By queue."""
QUEUES = {
    JobRole.HOUSEKEEPING: "default",
    JobRole.POST_CALL: PATIENT_QUEUE,
    JobRole.RECORDINGS: RECORDINGS_QUEUE,
    JobRole.KNOWLEDGE: KNOWLEDGE_QUEUE,
}
QUEUE_RETRY_SECONDS = 2.0
_log = structlog.get_logger(__name__)


async def run_jobs(
    settings: ControlPlaneSettings,
    stop: asyncio.Event,
    health: Health | None = None,
    roles: Collection[JobRole] = ALL_ROLES,
) -> None:
    """Do the work of ``roles`` until ``stop`` is set.

    It survives outages of PostgreSQL and Redis. Any other error ends the process, and its
    supervisor starts it again: all its work is recorded in PostgreSQL or in the event stream.
    """
    resources = Resources(settings)
    if health is not None:
        health.watch("PostgreSQL does not answer.", resources.database.answers)
        health.watch("Redis does not answer.", partial(answers, resources.redis))
        if JobRole.EVENTS in roles:
            health.watch(
                "No process applies the events of calls.", partial(_events_are_applied, resources)
            )
    try:
        async with asyncio.TaskGroup() as group:
            beating = keep_beating(resources.redis, roles)
            work = [*loops_of(roles, settings, resources), beating]
            loops = [group.create_task(loop) for loop in work]
            _log.info("jobs_started", roles=sorted(roles))
            await stop.wait()
            for task in loops:
                task.cancel()
    finally:
        await resources.aclose()
        _log.info("jobs_stopped")


async def _events_are_applied(resources: Resources) -> bool:
    try:
        return await events_are_applied(resources.redis)
    except LINK_ERRORS:
        return False


class Resources:
    """The connections of a jobs process. ``patient_redis`` waits for entries of streams."""

    def __init__(self, settings: ControlPlaneSettings) -> None:
        self.database = Database(
            settings.database_url,
            system_url=settings.system_database_url,
            deadline_seconds=settings.request_deadline_seconds,
        )
        self.redis = connect(settings.redis_url)
        self.patient_redis = connect(settings.redis_url, longest_block_seconds=BLOCK_SECONDS)

    async def aclose(self) -> None:
        await self.database.aclose()
        await self.redis.aclose()
        await self.patient_redis.aclose()


def loops_of(
    roles: Collection[JobRole], settings: ControlPlaneSettings, resources: Resources
) -> list[Coroutine[Any, Any, None]]:
    """What a process with these roles runs, not started yet."""
    database, redis, patient_redis = resources.database, resources.redis, resources.patient_redis
    open_calls = OpenCalls(database)
    loops: list[Coroutine[Any, Any, None]] = []
    if JobRole.EVENTS in roles:
        loops.append(consume_events(database, patient_redis))
    if JobRole.DISPATCH in roles:
        loops.append(keep_redispatching(database, redis, open_calls))
        loops.append(keep_advancing(redis))
    if JobRole.REAPER in roles:
        loops.append(Reaper(database, redis, open_calls=open_calls).run())
    if JobRole.DIALING in roles:
        loops.append(DialingScheduler(database, redis, settings.dialing).run())
        loops.append(ReportConsumer(database, patient_redis).run())
        loops.append(InboundConsumer(database, redis, patient_redis, settings).run())
        loops.append(keep_reconciling(database, redis, settings))
    if JobRole.NOTIFYING in roles:
        deliveries = DeliveryRunner(database, settings)
        loops.append(OutboxReader(database, fact_consumers(settings, deliveries)).run())
        loops.append(deliveries.run())
    if JobRole.HOUSEKEEPING in roles:
        loops.append(keep_folding(database))
        loops.append(keep_measuring(database, redis))
    if queues := {queue: JOBS_AT_ONCE[queue] for role, queue in QUEUES.items() if role in roles}:
        loops.append(_run_queues(database, settings, queues))
    return loops


def fact_consumers(
    settings: ControlPlaneSettings, deliveries: DeliveryRunner
) -> list[FactConsumer]:
    """Who acts on the facts of the outbox, in this order."""
    return [
        CallWatcher(),
        VolumeWatcher(),
        NotificationWriter(enabled_channels(settings)),
        WebhookFanOut(webhook_is_preferred, wake=deliveries.wake),
    ]


async def _run_queues(
    database: Database, settings: ControlPlaneSettings, queues: Mapping[str, int]
) -> None:
    """Run the queued jobs until cancelled, also across outages of PostgreSQL.

    Args:
        queues: how many jobs of each run at once.
    """
    rescued = [each for queue in queues for each in queues_of_rescued(queue)]
    at_once = [*(([queue], most) for queue, most in queues.items()), (rescued, 1)]
    while True:
        try:
            connector = worker_connector(
                settings.database_url, system_url=settings.system_database_url
            )
            with job_queue.replace_connector(connector):
                async with job_queue.open_async():
                    await _run_together(
                        _run_worker(database, settings, names, concurrency)
                        for names, concurrency in at_once
                    )
        except ConnectorException as lost:
            _log.warning("job_queue_unavailable", error=str(lost))
        await asyncio.sleep(QUEUE_RETRY_SECONDS)


async def _run_together(workers: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Run ``workers`` until one of them fails, and raise its error. Not a ``TaskGroup``: when it is
    cancelled and a worker fails because of that, a group raises the failure alone."""
    tasks = [asyncio.create_task(worker) for worker in workers]
    try:
        ended, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    for task in ended:
        task.result()


async def _run_worker(
    database: Database, settings: ControlPlaneSettings, queues: Sequence[str], concurrency: int
) -> None:
    """
    Raises:
        ConnectorException: PostgreSQL is away. A worker that cannot listen any more would end
            without an error, and its queues would wait while the others go on.
    """
    await job_queue.run_worker_async(
        queues=queues,
        concurrency=concurrency,
        install_signal_handlers=False,
        additional_context=job_resources(database, settings),
        delete_jobs="successful",
        shutdown_graceful_timeout=1.0,
    )
    raise ConnectorException(f"nobody works on the queues {', '.join(queues)} any more")
