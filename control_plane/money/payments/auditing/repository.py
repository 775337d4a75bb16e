"""Every query of the audit of payments and invoices. They need a system session.

Each is one statement, which sees one moment, so payments that are made meanwhile do not disturb it.
"""

from __future__ import annotations

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import String, cast, func, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.models import LedgerEntry, LedgerReference
from control_plane.money.invoices.models import Invoice, InvoiceCounter
from control_plane.money.payments.models import Payment, PaymentReversal, PaymentState


async def payments_not_posted(session: AsyncSession) -> Sequence[tuple[UUID, UUID]]:
    """Tenants and captured payments without an entry of their amount."""
    reference = "topup:" + Payment.gateway + ":" + Payment.gateway_payment_id
    rows = await session.execute(
        select(Payment.tenant_id, Payment.id)
        .outerjoin(
            LedgerReference,
            (LedgerReference.tenant_id == Payment.tenant_id)
            & (LedgerReference.reference == reference),
        )
        .outerjoin(
            LedgerEntry,
            (LedgerEntry.id == LedgerReference.entry_id)
            & (LedgerEntry.tenant_id == Payment.tenant_id),
        )
        .where(
            Payment.state == PaymentState.SUCCEEDED,
            LedgerEntry.purchased_micros.is_distinct_from(Payment.credit_micros),
        )
    )
    return [(tenant_id, payment_id) for tenant_id, payment_id in rows]


async def reversals_not_posted(session: AsyncSession) -> Sequence[tuple[UUID, str]]:
    """Tenants, and the gateway's ids of refunds and disputes, without an entry of their amount."""
    reference = (
        PaymentReversal.kind + ":" + PaymentReversal.gateway + ":" + PaymentReversal.gateway_id
    )
    rows = await session.execute(
        select(PaymentReversal.tenant_id, PaymentReversal.gateway_id)
        .outerjoin(
            LedgerReference,
            (LedgerReference.tenant_id == PaymentReversal.tenant_id)
            & (LedgerReference.reference == reference),
        )
        .outerjoin(
            LedgerEntry,
            (LedgerEntry.id == LedgerReference.entry_id)
            & (LedgerEntry.tenant_id == PaymentReversal.tenant_id),
        )
        .where(
            PaymentReversal.credit_micros > 0,
            LedgerEntry.purchased_micros.is_distinct_from(-PaymentReversal.credit_micros),
        )
    )
    return [(tenant_id, gateway_id) for tenant_id, gateway_id in rows]


async def payments_not_invoiced(session: AsyncSession) -> Sequence[tuple[UUID, UUID]]:
    """Tenants and captured payments without an invoice over their amount."""
    rows = await session.execute(
        select(Payment.tenant_id, Payment.id)
        .outerjoin(
            Invoice,
            (Invoice.payment_event_id == Payment.id) & Invoice.credited_invoice_id.is_(None),
        )
        .where(
            Payment.state == PaymentState.SUCCEEDED,
            Invoice.total_minor.is_distinct_from(Payment.total_minor),
        )
    )
    return [(tenant_id, payment_id) for tenant_id, payment_id in rows]


async def series_with_gaps(session: AsyncSession) -> Sequence[str]:
    """Series of invoice numbers, such as ``INV-2026``, in which a number is missing or is above the
    last one."""
    series = InvoiceCounter.prefix + "-" + cast(InvoiceCounter.year, String)
    number = func.split_part(Invoice.invoice_number, "-", 3)
    rows = await session.scalars(
        select(series)
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
    return list(rows)
