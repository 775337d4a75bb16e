"""Jobs of payments."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from uuid import UUID

import structlog
from procrastinate import JobContext

from control_plane.money.billing.credit_watch import CREDIT_FELL
from control_plane.money.payments import recharging, reconciling, repository
from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.money.payments.gateway_events import repository as events
from control_plane.money.payments.gateways.installed import InstalledGateways
from control_plane.money.payments.missed_captures import post_missed_captures
from control_plane.money.payments.reversals.reconciling import reconcile_reversals as post_missed
from control_plane.platform.batched_deletion import delete_in_batches
from control_plane.platform.job_queue import (
    ONLY_IF_STOPPED,
    PATIENT_QUEUE,
    database_of,
    job_queue,
    settings_of,
)

EVENTS_KEPT = timedelta(days=180)
"""Gateways send an event again for days, and their consoles for a month. What still waits after so
long is of another shop's payment."""
_log = structlog.get_logger(__name__)


@asynccontextmanager
async def installed_gateways(context: JobContext) -> AsyncIterator[InstalledGateways]:
    gateways = InstalledGateways(settings_of(context))
    try:
        yield gateways
    finally:
        await gateways.aclose()


def _now() -> datetime:
    return datetime.now(UTC)


@job_queue.task(name=CREDIT_FELL, pass_context=True, queue=PATIENT_QUEUE, retry=ONLY_IF_STOPPED)
async def credit_fell(context: JobContext, tenant_id: str) -> None:
    """Recharge a tenant's credit. The job was added when it fell below the threshold."""
    async with installed_gateways(context) as gateways:
        await recharging.recharge(
            database_of(context), settings_of(context), gateways, UUID(tenant_id), _now()
        )


@job_queue.periodic(cron="* * * * *")
@job_queue.task(
    name="payments.reconcile",
    pass_context=True,
    queue=PATIENT_QUEUE,
    queueing_lock="reconcile_payments",
)
async def reconcile(context: JobContext, timestamp: int) -> None:
    """Ask gateways what became of payments that they said nothing of, and recharge what could not
    be recharged when the credit fell."""
    database, settings = database_of(context), settings_of(context)
    async with installed_gateways(context) as gateways:
        await reconciling.reconcile(database, settings, gateways, _now)
        async with database.system_session() as session:
            waiting = await repository.tenants_below_their_threshold(
                session, _now(), reconciling.MOST_AT_ONCE
            )
        for tenant_id in waiting:
            await recharging.recharge(database, settings, gateways, tenant_id, _now())


@job_queue.periodic(cron="23 * * * *")
@job_queue.task(
    name="payments.reconcile_reversals",
    pass_context=True,
    queue=PATIENT_QUEUE,
    queueing_lock="reconcile_reversals",
)
async def reconcile_reversals(context: JobContext, timestamp: int) -> None:
    """Ask gateways for refunds and disputes that they have not reported, or that a crash lost."""
    async with installed_gateways(context) as gateways:
        await post_missed(database_of(context), settings_of(context), gateways, _now())


@job_queue.periodic(cron="47 * * * *")
@job_queue.task(
    name="payments.reconcile_captures",
    pass_context=True,
    queue=PATIENT_QUEUE,
    queueing_lock="reconcile_captures",
)
async def reconcile_captures(context: JobContext, timestamp: int) -> None:
    """Ask gateways for captured payments that they have not reported."""
    async with installed_gateways(context) as gateways:
        await post_missed_captures(database_of(context), settings_of(context), gateways, _now())


@job_queue.periodic(cron="11 * * * *")
@job_queue.task(name="payments.audit", pass_context=True, queueing_lock="audit_payments")
async def audit(context: JobContext, timestamp: int) -> None:
    """Log every difference between what gateways captured and what is posted and invoiced."""
    for difference in await audit_payments(database_of(context)):
        tenant_id = None if difference.tenant_id is None else str(difference.tenant_id)
        _log.error("payments_do_not_balance", tenant_id=tenant_id, what=difference.what)


@job_queue.periodic(cron="29 * * * *")
@job_queue.task(
    name="payments.delete_old_events", pass_context=True, queueing_lock="delete_gateway_events"
)
async def delete_old_events(context: JobContext, timestamp: int) -> None:
    """Delete what gateways reported longer ago than ``EVENTS_KEPT``."""
    await delete_in_batches(database_of(context), events.delete_old, _now() - EVENTS_KEPT)
