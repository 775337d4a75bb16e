"""Jobs of plans."""

from __future__ import annotations

from datetime import UTC, datetime

import structlog
from procrastinate import JobContext

from control_plane.money.plans.monthly_credit import renew_plan_credit
from control_plane.platform.job_queue import database_of, job_queue, settings_of

_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="* * * * *")
@job_queue.task(name="plans.renew_credit", pass_context=True, queueing_lock="renew_plan_credit")
async def renew_credit(context: JobContext, timestamp: int) -> None:
    """Grant plan credit to the tenants that have not had this month's, with its invoice, and expire
    last month's."""
    renewed = await renew_plan_credit(
        database_of(context), datetime.now(UTC), settings_of(context).invoice_prefix
    )
    if renewed:
        _log.info("plan_credit_renewed", tenants=renewed)
