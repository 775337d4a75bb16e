"""Jobs of billing."""

from __future__ import annotations

import structlog
from procrastinate import JobContext

from control_plane.money.billing.audits import audit
from control_plane.platform.job_queue import database_of, job_queue
from telemetry.metrics import BOOKS_AUDITED_AT, BOOKS_UNBALANCED

_log = structlog.get_logger(__name__)


@job_queue.periodic(cron="*/5 * * * *")
@job_queue.task(name="billing.audit_books", pass_context=True, queueing_lock="audit_books")
async def audit_books(context: JobContext, timestamp: int) -> None:
    """Log every difference that the audit finds."""
    differences = await audit.audit_books(database_of(context))
    for tenant_id, day, figures in differences:
        _log.error(
            "books_do_not_balance",
            tenant_id=str(tenant_id),
            day=None if day is None else day.isoformat(),
            figures=[figure._asdict() for figure in figures],
        )
    BOOKS_UNBALANCED.set(len({difference.tenant_id for difference in differences}))
    BOOKS_AUDITED_AT.set_to_current_time()
