"""Issuing invoices and credit notes. Nothing here commits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.invoices import repository
from control_plane.money.invoices.minor_units import shown
from control_plane.money.invoices.models import Invoice, InvoiceItem
from control_plane.money.invoices.tax import share
from control_plane.platform.outbox.events import add_notification_event


@dataclass(frozen=True)
class Line:
    kind: str
    description: str
    amount_minor: int
    credit_transaction_id: UUID | None = None
    plan_id: str | None = None


@dataclass(frozen=True)
class PaidBill:
    """What was paid, and by whom."""

    payment_id: UUID
    tenant_id: UUID
    gateway: str
    currency: str
    subtotal_minor: int
    tax_minor: int
    taxes: list[dict[str, Any]]
    billed_to: dict[str, Any]
    """``name``, ``country`` and ``tax_id`` as they were."""
    lines: Sequence[Line]


async def issue_for_top_up(
    session: AsyncSession, bill: PaidBill, prefix: str, now: datetime
) -> Invoice:
    """The invoice of a captured top-up. Needs a system session.

    Call it last in its transaction: all other invoices wait from here to the commit.
    """
    invoice = Invoice(
        id=uuid4(),
        tenant_id=bill.tenant_id,
        kind="topup",
        status="paid",
        currency=bill.currency,
        subtotal_minor=bill.subtotal_minor,
        tax_minor=bill.tax_minor,
        discount_minor=0,
        total_minor=bill.subtotal_minor + bill.tax_minor,
        taxes=bill.taxes,
        gateway=bill.gateway,
        payment_event_id=bill.payment_id,
        reference=f"payment:{bill.payment_id}",
        billed_to=bill.billed_to,
        issued_at=now,
        paid_at=now,
    )
    await issue(session, invoice, bill.lines, prefix)
    add_notification_event(
        session,
        bill.tenant_id,
        "billing.invoice_ready",
        title="Your invoice is ready",
        message=f"Invoice {invoice.invoice_number} over"
        f" {shown(invoice.total_minor, invoice.currency)} is in your account.",
        metadata={
            "invoice_id": str(invoice.id),
            "invoice_number": invoice.invoice_number,
            "total_minor": invoice.total_minor,
            "currency": invoice.currency,
        },
    )
    return invoice


async def credit(
    session: AsyncSession,
    invoice: Invoice,
    amount_minor: int,
    *,
    reference: str,
    description: str,
    prefix: str,
    now: datetime,
) -> Invoice | None:
    """A credit note over at most ``amount_minor`` of the invoice's total, with its part of the tax;
    ``None`` if nothing is left to take back. Needs a system session, and the invoice locked."""
    credited_minor, credited_tax = await repository.credited(session, invoice.id)
    amount = min(amount_minor, invoice.total_minor - credited_minor)
    if amount <= 0:
        return None
    # Of all that is credited, so that the notes of a whole invoice have its whole tax.
    tax = share(invoice.tax_minor, credited_minor + amount, invoice.total_minor) - credited_tax
    note = Invoice(
        id=uuid4(),
        tenant_id=invoice.tenant_id,
        kind="credit_note",
        status="issued",
        currency=invoice.currency,
        subtotal_minor=amount - tax,
        tax_minor=tax,
        discount_minor=0,
        total_minor=amount,
        taxes=[],
        gateway=invoice.gateway,
        payment_event_id=invoice.payment_event_id,
        credited_invoice_id=invoice.id,
        reference=reference,
        billed_to=invoice.billed_to,
        issued_at=now,
    )
    line = Line("credit", f"{description} (invoice {invoice.invoice_number})", amount - tax)
    await issue(session, note, [line], prefix)
    return note


async def void(
    session: AsyncSession, invoice: Invoice, reason: str, *, prefix: str, now: datetime
) -> Invoice | None:
    """Void an invoice: a credit note takes back what no other one has. The money does not move."""
    note = await credit(
        session,
        invoice,
        invoice.total_minor,
        reference=f"void:{invoice.id}",
        description=reason,
        prefix=prefix,
        now=now,
    )
    invoice.status = "voided"
    invoice.voided_at = now
    return note


async def issue(
    session: AsyncSession, invoice: Invoice, lines: Sequence[Line], prefix: str
) -> None:
    """Add an invoice or a credit note with the next number of its year. Needs a system session.

    Call it last in its transaction: all other invoices wait from here to the commit.

    Args:
        invoice: all of it but its number.
        lines: their amounts add up to its subtotal.
    """
    year = invoice.issued_at.astimezone(UTC).year
    number = await repository.next_number(session, prefix, year)
    invoice.invoice_number = f"{prefix}-{year}-{number:08d}"
    session.add(invoice)
    await session.flush()
    session.add_all(
        InvoiceItem(
            invoice_id=invoice.id,
            tenant_id=invoice.tenant_id,
            line=position,
            kind=line.kind,
            description=line.description,
            quantity=1,
            unit_amount_minor=line.amount_minor,
            amount_minor=line.amount_minor,
            plan_id=line.plan_id,
            credit_transaction_id=line.credit_transaction_id,
        )
        for position, line in enumerate(lines, start=1)
    )
    await session.flush()
