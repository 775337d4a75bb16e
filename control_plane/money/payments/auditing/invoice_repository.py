"""Queries of the audit on invoices. They need a system session.

Each is one statement, which sees one moment, so payments that are made meanwhile do not disturb it.
"""

from __future__ import annotations

from typing import NamedTuple

from sqlalchemy import String, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.invoices.models import Invoice, InvoiceCounter
from control_plane.money.payments.auditing.mismatch import Mismatch
from control_plane.money.payments.models import Payment, PaymentState


async def payments_not_invoiced(session: AsyncSession) -> list[Mismatch]:
    """Captured payments without an invoice over their amount, in minor units."""
    rows = await session.execute(
        select(
            Payment.tenant_id,
            cast(Payment.id, String),
            Payment.total_minor,
            Invoice.total_minor,
            Payment.currency,
        )
        .outerjoin(
            Invoice,
            (Invoice.payment_event_id == Payment.id) & Invoice.credited_invoice_id.is_(None),
        )
        .where(
            Payment.state == PaymentState.SUCCEEDED,
            Invoice.total_minor.is_distinct_from(Payment.total_minor),
        )
    )
    return [Mismatch(*row) for row in rows]


class Series(NamedTuple):
    """Invoice numbers with one prefix and year, such as ``INV-2026``."""

    name: str
    last_number: int
    """Of the counter."""
    invoices: int
    highest: str | None
    """The last eight digits of the highest number that was given; ``None``: none was."""


async def series_with_gaps(session: AsyncSession) -> list[Series]:
    """Series in which a number is missing, or is above the last one."""
    series = InvoiceCounter.prefix + "-" + cast(InvoiceCounter.year, String)
    number = func.split_part(Invoice.invoice_number, "-", 3)
    rows = await session.execute(
        select(series, InvoiceCounter.last_number, func.count(Invoice.id), func.max(number))
        .outerjoin(Invoice, Invoice.invoice_number.startswith(series + "-"))
        .group_by(InvoiceCounter.prefix, InvoiceCounter.year, InvoiceCounter.last_number)
        .having(
            or_(
                func.count(Invoice.id) != InvoiceCounter.last_number,
                func.coalesce(func.max(number), "")
                != func.lpad(cast(InvoiceCounter.last_number, String), 8, "0"),
            )
        )
    )
    return [Series(*row) for row in rows]
