"""Every query of the audit of payments and invoices. They need a system session.

Each is one statement, which sees one moment, so payments that are made meanwhile do not disturb it.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import Select, String, case, cast, func, literal_column, or_, select
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing.models import LedgerEntry
from control_plane.money.invoices.models import Invoice, InvoiceCounter
from control_plane.money.payments.models import Payment, PaymentReversal, PaymentState


class Mismatch(NamedTuple):
    """Amounts that should be the same."""

    tenant_id: UUID
    which: str
    expected: int
    found: int | None
    """``None``: there is nothing to compare with."""
    currency: str | None = None


async def payments_not_posted(session: AsyncSession) -> list[Mismatch]:
    """Captured payments without an entry of their credit, in micro-dollars."""
    return await _not_posted(
        session,
        select(
            Payment.tenant_id,
            cast(Payment.id, String).label("which"),
            Payment.credit_micros.label("expected"),
            ("topup:" + Payment.gateway + ":" + Payment.gateway_payment_id).label("reference"),
        ).where(Payment.state == PaymentState.SUCCEEDED),
    )


async def bonuses_not_posted(session: AsyncSession) -> list[Mismatch]:
    """Captured payments without an entry of their bonus, in micro-dollars."""
    return await _not_posted(
        session,
        select(
            Payment.tenant_id,
            cast(Payment.id, String).label("which"),
            Payment.bonus_micros.label("expected"),
            ("bonus:" + Payment.gateway + ":" + Payment.gateway_payment_id).label("reference"),
        ).where(Payment.state == PaymentState.SUCCEEDED, Payment.bonus_micros > 0),
    )


async def reversals_not_posted(session: AsyncSession) -> list[Mismatch]:
    """Refunds and disputes, by the gateway's ids, without an entry of what they took, in
    micro-dollars."""
    of_gateway = PaymentReversal.gateway + ":" + PaymentReversal.gateway_id
    return await _not_posted(
        session,
        select(
            PaymentReversal.tenant_id,
            PaymentReversal.gateway_id.label("which"),
            (-PaymentReversal.credit_micros).label("expected"),
            (PaymentReversal.kind + ":" + of_gateway).label("reference"),
        ).where(PaymentReversal.credit_micros > 0),
    )


async def returns_not_posted(session: AsyncSession) -> list[Mismatch]:
    """As ``reversals_not_posted``, for what came back after all."""
    of_gateway = PaymentReversal.gateway + ":" + PaymentReversal.gateway_id
    prefix = case((PaymentReversal.kind == "dispute", "dispute:won:"), else_="refund_failed:")
    return await _not_posted(
        session,
        select(
            PaymentReversal.tenant_id,
            PaymentReversal.gateway_id.label("which"),
            PaymentReversal.credit_micros.label("expected"),
            (prefix + of_gateway).label("reference"),
        ).where(PaymentReversal.credit_micros > 0, PaymentReversal.returned_at.is_not(None)),
    )


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


async def _not_posted(session: AsyncSession, wanted: Select[*tuple[Any, ...]]) -> list[Mismatch]:
    """
    Args:
        wanted: rows of ``tenant_id``, ``which``, the ``expected`` micro-dollars in the purchased
            bucket, and the ``reference`` of their entry.
    """
    each = wanted.subquery().c
    # In these words, because they are those of the index ``ix_ledger_entries_no_charge``.
    no_charge = LedgerEntry.transaction_type != literal_column("'charge'")
    rows = await session.execute(
        select(each.tenant_id, each.which, each.expected, LedgerEntry.purchased_micros)
        .outerjoin(
            LedgerEntry,
            (LedgerEntry.tenant_id == each.tenant_id)
            & (LedgerEntry.reference == each.reference)
            & no_charge,
        )
        .where(LedgerEntry.purchased_micros.is_distinct_from(each.expected))
    )
    return [Mismatch(*row) for row in rows]
