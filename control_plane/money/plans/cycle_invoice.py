"""The invoice over the credit that a plan includes in a month.

Nobody pays for that credit here: plans have no price, and the operator collects what was agreed to
elsewhere. So the invoice shows the credit as an item and takes all of it off as a discount. Its
total is 0, and so is the tax on it.
"""

from __future__ import annotations

from datetime import date, datetime
from uuid import uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import MICROS_PER_CREDIT
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.invoices.models import Invoice
from control_plane.money.invoices.service import Line, issue
from control_plane.money.payments import repository as payments
from control_plane.money.plans import repository
from control_plane.money.plans.month import begins_at, month_name, next_month

CYCLE_INVOICE = "plan_cycle"
"""Its kind."""


async def issue_cycle_invoice(
    session: AsyncSession,
    grant: LedgerEntry,
    plan_id: str,
    month: date,
    *,
    prefix: str,
    now: datetime,
) -> None:
    """Issue the invoice of ``month``. Needs a system session.

    Call it last in its transaction: all other invoices wait from here to the commit.

    Args:
        grant: the entry of the month's credit, flushed. Whole cents of it are on the invoice, as in
            ``monthly_credit_cents`` of the plan.
    """
    tenant_id = grant.tenant_id
    credit_minor = grant.plan_micros // MICROS_PER_CREDIT
    profile = await payments.profile(session, tenant_id)
    invoice = Invoice(
        id=uuid4(),
        tenant_id=tenant_id,
        kind=CYCLE_INVOICE,
        status="issued",
        currency="USD",
        subtotal_minor=credit_minor,
        tax_minor=0,
        discount_minor=credit_minor,
        total_minor=0,
        taxes=[],
        payment_event_id=grant.id,
        reference=f"{CYCLE_INVOICE}:{tenant_id}:{month_name(month)}",
        billed_to={
            "name": await repository.tenant_name(session, tenant_id),
            "country": profile.billing_country,
            "tax_id": profile.tax_id,
        },
        period_start=begins_at(month),
        period_end=begins_at(next_month(month)),
        issued_at=now,
    )
    line = Line("plan_credit", grant.description, credit_minor, grant.id, plan_id)
    await issue(session, invoice, [line], prefix)
