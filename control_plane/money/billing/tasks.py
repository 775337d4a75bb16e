"""Jobs of billing."""

from __future__ import annotations

import structlog
from procrastinate import JobContext

from control_plane.money.billing import repository
from control_plane.platform.job_queue import database_of, job_queue
from telemetry.metrics import BOOKS_AUDITED_AT, BOOKS_UNBALANCED

_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="*/5 * * * *")
@job_queue.task(name="billing.audit_books", pass_context=True, queueing_lock="audit_books")
async def audit_books(context: JobContext, timestamp: int) -> None:
    """Check every account against its ledger. A difference is a bug, which is only reported."""
    async with database_of(context).system_session() as session:
        unbalanced = await repository.unbalanced_accounts(session)
    for tenant_id in unbalanced:
        _log.error("books_do_not_balance", tenant_id=str(tenant_id))
    BOOKS_UNBALANCED.set(len(unbalanced))
    BOOKS_AUDITED_AT.set_to_current_time()
