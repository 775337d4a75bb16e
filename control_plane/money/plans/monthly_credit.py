"""The credit that a plan includes each month: granted once for each tenant and month of UTC, and
expired when the next month begins.

Both are entries of the ledger. What calls hold of it at that moment stays until they end, and
expires then if they did not use it (``service.settle``). The transaction that grants the credit
issues its invoice (``cycle_invoice``), so neither is there without the other. A tenant that gets a
plan during a month gets all of its credit for that month, unless it was granted another plan's
credit for it, which it keeps until the month is over.
"""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import repository as accounts
from control_plane.money.billing.buckets import Buckets
from control_plane.money.billing.credit_watch import watched
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.billing.posting import post
from control_plane.money.plans import repository
from control_plane.money.plans.cycle_invoice import issue_cycle_invoice
from control_plane.money.plans.month import credit_reference, month_name, month_of
from control_plane.platform.database import Database

TENANTS_AT_ONCE = 500


async def renew_plan_credit(database: Database, now: datetime, invoice_prefix: str) -> int:
    """Begin the month of ``now`` for each tenant for which it has not begun, and grant its credit
    to those that got a plan since, in a transaction each.

    Returns:
        For how many tenants it has.
    """
    month = month_of(now)
    renewed = 0
    after: UUID | None = None
    while True:
        async with database.system_session() as session:
            due = await repository.tenants_due(session, month, after, TENANTS_AT_ONCE)
        for tenant_id in due:
            async with database.system_session() as session:
                renewed += await begin_month(
                    session, tenant_id, month, invoice_prefix=invoice_prefix, now=now
                )
        if len(due) < TENANTS_AT_ONCE:
            return renewed
        after = due[-1]


async def begin_month(
    session: AsyncSession,
    tenant_id: UUID,
    month: date,
    *,
    invoice_prefix: str,
    now: datetime,
) -> bool:
    """Expire what is left of the last month's plan credit, and grant this month's with its invoice.

    Needs a system session. Call it last in its transaction: all other invoices wait from the grant
    to the commit.

    Args:
        now: when the invoice is issued.

    Returns:
        ``False`` if nothing changes, because the month has begun and its credit was granted or is
        none, or because a later one has begun.
    """
    await accounts.open_account(session, tenant_id)
    account = await accounts.locked_account(session, tenant_id)
    if account.plan_period is not None and account.plan_period > month:
        return False
    plan = await repository.plan_of(session, tenant_id)
    has_begun = account.plan_period == month
    if has_begun and (
        not plan.monthly_credit_micros
        or await accounts.entry_of_reference(session, tenant_id, credit_reference(month))
    ):
        return False
    grant: LedgerEntry | None = None
    async with watched(session, account):
        left = 0 if has_begun else account.available.plan_micros
        if left > 0:
            ended = account.plan_period or month
            post(
                session,
                account,
                "expiry",
                Buckets(0, 0, -left),
                f"Plan credit of {month_name(ended)} that was not used",
                reference=f"plan_expiry:{month_name(ended)}",
                details={"period": month_name(ended)},
            )
        if plan.monthly_credit_micros:
            grant = post(
                session,
                account,
                "grant",
                Buckets(0, 0, plan.monthly_credit_micros),
                f"Credit of the plan {plan.display_name} for {month_name(month)}",
                reference=credit_reference(month),
                details={"period": month_name(month), "plan_id": plan.id},
            )
    await session.flush()
    account.plan_period = month
    await accounts.set_plan_period(session, tenant_id, month)
    if grant is not None:
        await issue_cycle_invoice(session, grant, plan.id, month, prefix=invoice_prefix, now=now)
    return True
