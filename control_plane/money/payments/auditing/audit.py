"""The audit of payments and invoices: what gateways captured is in the ledger and on paper, and
nothing else is. A difference is a bug or a forgery, which is only reported.

Days are audited in the rotation of the ledger's days (``billing/audits/rotation.py``), because
payments become too many to be read each time: what was paid, given back, voided or posted on the
newest days, then days on which something differed, then the others in turns.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime

from control_plane.money.billing.audits.rotation import AuditedDay, in_turn
from control_plane.money.payments.auditing import day_repository, invoice_repository
from control_plane.money.payments.auditing.differences import (
    PaymentDifference,
    differences_within,
    numbering,
)
from control_plane.platform.database import Database

AUDIT_SECONDS = 2.0
"""No other day is begun after so long."""


async def audit_payments(
    database: Database,
    *,
    seconds: float = AUDIT_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> list[PaymentDifference]:
    """Audit the counters of invoices, the newest days, and as many older days as ``seconds`` allow.

    Raises:
        DatabaseUnavailable: PostgreSQL is down, or one day took longer than a transaction may.
    """
    ends_at = clock() + seconds
    async with database.system_session() as session:
        days = await day_repository.days(session)
        series = await invoice_repository.series_without_their_last(session)
    differences: list[PaymentDifference] = []
    for span in in_turn(days or [AuditedDay(datetime.now(UTC).date(), None)]):
        async with database.system_session() as session:
            await day_repository.read_by_day(session)
            found = await differences_within(session, span)
            gaps = await invoice_repository.series_with_gaps(session, span)
            await day_repository.keep_audited(
                session, span.day, datetime.now(UTC), balanced=not (found or gaps)
            )
        differences += found
        series |= gaps
        if clock() >= ends_at:
            break
    if series:
        async with database.system_session() as session:
            wrong = await invoice_repository.series_of(session, series)
        differences += map(numbering, wrong)
    return differences
