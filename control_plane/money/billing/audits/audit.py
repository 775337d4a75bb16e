"""The audit of the books. A difference is a bug or a forgery, which is only reported.

Entries add up to the totals of their day, days to the totals of their account, and open reserves to
what the account holds. Accounts are compared with their days at each audit, days with their entries
in a rotation, because the entries are too many to be read each time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import NamedTuple
from uuid import UUID

from control_plane.money.billing.audits import repository as audit_repository
from control_plane.money.billing.audits.repository import Figure
from control_plane.money.billing.audits.rotation import in_turn
from control_plane.platform.database import Database

AUDIT_SECONDS = 2.0
"""No other day is begun after so long."""


class Difference(NamedTuple):
    tenant_id: UUID
    day: date | None
    """The day whose entries do not add up to its totals. ``None``: the days and reserves do not add
    up to the totals of the account."""
    figures: tuple[Figure, ...]


async def audit_books(
    database: Database,
    *,
    seconds: float = AUDIT_SECONDS,
    clock: Callable[[], float] = time.monotonic,
) -> list[Difference]:
    """Audit all accounts, the newest days and as many older days as ``seconds`` allow.

    Raises:
        DatabaseUnavailable: PostgreSQL is down, or one day took longer than a transaction may.
    """
    ends_at = clock() + seconds
    async with database.system_session() as session:
        unbalanced = await audit_repository.unbalanced_accounts(session)
        days = await audit_repository.days(session)
    differences = [Difference(tenant_id, None, figures) for tenant_id, figures in unbalanced]
    for span in in_turn(days):
        async with database.system_session() as session:
            wrong = await audit_repository.tenants_with_wrong_days(session, span)
            await audit_repository.keep_audited(
                session, span.day, datetime.now(UTC), balanced=not wrong
            )
        differences += [Difference(tenant_id, span.day, figures) for tenant_id, figures in wrong]
        if clock() >= ends_at:
            break
    return differences
