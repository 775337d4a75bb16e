"""Queries of the audit on the papers of payments: invoices of the kind ``topup``, and credit notes
that take one back. They need a system session.

Each is one statement, which sees one moment, so payments that are made meanwhile do not disturb it.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, NamedTuple

from sqlalchemy import (
    ARRAY,
    BigInteger,
    ColumnElement,
    CompoundSelect,
    ScalarSelect,
    SQLColumnExpression,
    String,
    case,
    cast,
    func,
    literal,
    or_,
    select,
    union,
)
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import aliased

from control_plane.money.billing.audits.rotation import Span
from control_plane.money.invoices.models import Invoice, InvoiceCounter, InvoiceItem
from control_plane.money.payments.auditing.day_repository import within
from control_plane.money.payments.auditing.mismatch import Mismatch
from control_plane.money.payments.models import Payment, PaymentReversal, PaymentState

_original = aliased(Invoice)
"""What a credit note takes back."""


async def payments_not_invoiced(session: AsyncSession, span: Span) -> list[Mismatch]:
    """Payments captured in the span without an invoice over their amount, in minor units."""
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
            (Invoice.payment_event_id == Payment.id) & (Invoice.kind == "topup"),
        )
        .where(
            Payment.state == PaymentState.SUCCEEDED,
            Invoice.total_minor.is_distinct_from(Payment.total_minor),
            *within(span, func.coalesce(Payment.resolved_at, Payment.created_at)),
        )
    )
    return [Mismatch(*row) for row in rows]


async def invoices_not_paid(session: AsyncSession, span: Span) -> list[Mismatch]:
    """Invoices of top-ups in the span without a captured payment, in minor units. Two invoices of
    one payment have different references, and so one of them has none."""
    rows = await session.execute(
        select(
            Invoice.tenant_id,
            Invoice.invoice_number,
            Invoice.total_minor,
            Payment.total_minor,
            Invoice.currency,
        )
        .outerjoin(
            Payment,
            (Payment.id == Invoice.payment_event_id)
            & (Payment.tenant_id == Invoice.tenant_id)
            & (Payment.state == PaymentState.SUCCEEDED)
            & (Invoice.reference == "payment:" + cast(Payment.id, String)),
        )
        .where(Invoice.kind == "topup", Payment.id.is_(None), *within(span, Invoice.issued_at))
    )
    return [Mismatch(*row) for row in rows]


async def papers_not_itemized(session: AsyncSession, span: Span) -> list[Mismatch]:
    """Invoices of top-ups and their credit notes, in the span, whose items do not add up to their
    subtotal, in minor units."""
    items = _sum(InvoiceItem.amount_minor, InvoiceItem.invoice_id == Invoice.id)
    rows = await session.execute(
        select(
            Invoice.tenant_id,
            Invoice.invoice_number,
            Invoice.subtotal_minor,
            items,
            Invoice.currency,
        )
        .outerjoin(_original, _original.id == Invoice.credited_invoice_id)
        .where(
            or_(Invoice.kind == "topup", _is_note_of_top_up()),
            items != Invoice.subtotal_minor,
            *within(span, Invoice.issued_at),
        )
    )
    return [Mismatch(*row) for row in rows]


async def invoices_wrongly_credited(session: AsyncSession, span: Span) -> list[Mismatch]:
    """Invoices of top-ups whose credit notes are not over what was refunded, or all of it if the
    invoice is voided, in minor units. Those with which one of these things happened in the span.

    The note of a refund that failed may stay, or be for the refund in its place. So what is
    credited is at least what stayed refunded, and at most all that ever was.
    """
    note = aliased(Invoice)
    refund = (
        PaymentReversal.payment_id == Invoice.payment_event_id,
        PaymentReversal.kind == "refund",
    )
    total, is_voided = Invoice.total_minor, Invoice.status == "voided"
    stayed = _sum(PaymentReversal.amount_minor, *refund, PaymentReversal.returned_at.is_(None))
    ever = _sum(PaymentReversal.amount_minor, *refund)
    least = case((is_voided, total), else_=func.least(total, stayed))
    most = case((is_voided, total), else_=func.least(total, ever))
    credited = _sum(note.total_minor, note.credited_invoice_id == Invoice.id)
    rows = await session.execute(
        select(
            Invoice.tenant_id,
            Invoice.invoice_number,
            case((credited < least, least), else_=most),
            credited,
            Invoice.currency,
        ).where(
            Invoice.kind == "topup",
            Invoice.id.in_(_touched(span)),
            or_(credited < least, credited > most),
        )
    )
    return [Mismatch(*row) for row in rows]


async def notes_without_reason(session: AsyncSession, span: Span) -> list[Mismatch]:
    """Credit notes of top-ups in the span that are for no refund, and for no invoice that is
    voided, in minor units."""
    of_gateway = PaymentReversal.gateway + ":" + PaymentReversal.gateway_id
    is_of_refund = (
        select(PaymentReversal.gateway_id)
        .where(
            PaymentReversal.payment_id == _original.payment_event_id,
            PaymentReversal.kind == "refund",
            Invoice.reference == "refund:" + of_gateway,
        )
        .exists()
    )
    is_of_void = (_original.status == "voided") & (
        Invoice.reference == "void:" + cast(_original.id, String)
    )
    rows = await session.execute(
        select(
            Invoice.tenant_id,
            Invoice.invoice_number,
            Invoice.total_minor,
            cast(None, BigInteger),
            Invoice.currency,
        )
        .outerjoin(_original, _original.id == Invoice.credited_invoice_id)
        .where(
            _is_note_of_top_up(),
            ~is_of_refund,
            func.coalesce(~is_of_void, True),
            *within(span, Invoice.issued_at),
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


async def series_with_gaps(session: AsyncSession, span: Span) -> set[str]:
    """The names of series in which a number of the span is above the last one, or does not follow
    another one. If no number does, from the last one on, none is missing."""
    name = _part(1) + "-" + _part(2)
    # A forged invoice may have any number.
    number = case((_part(3).regexp_match("^[0-9]{8}$"), cast(_part(3), BigInteger)))
    counter = (
        select(InvoiceCounter.prefix)
        .where(
            InvoiceCounter.prefix == _part(1),
            cast(InvoiceCounter.year, String) == _part(2),
            InvoiceCounter.last_number >= number,
        )
        .exists()
    )
    previous = aliased(Invoice)
    follows = (
        select(previous.id)
        .where(previous.invoice_number == name + "-" + _eight_digits(number - 1))
        .exists()
    )
    found = await session.scalars(
        select(name)
        .distinct()
        .where(
            or_(~counter, number < 1, (number > 1) & ~follows),
            *within(span, Invoice.issued_at),
        )
    )
    return set(found)


async def series_without_their_last(session: AsyncSession) -> set[str]:
    """The names of series in which no invoice has the last number."""
    name = InvoiceCounter.prefix + "-" + cast(InvoiceCounter.year, String)
    last = (
        select(Invoice.id)
        .where(Invoice.invoice_number == name + "-" + _eight_digits(InvoiceCounter.last_number))
        .exists()
    )
    return set(await session.scalars(select(name).where(InvoiceCounter.last_number > 0, ~last)))


async def series_of(session: AsyncSession, names: Collection[str]) -> list[Series]:
    """Reads all their invoices."""
    each = select(func.unnest(literal(sorted(names), ARRAY(String))).label("name")).subquery().c
    number = func.split_part(Invoice.invoice_number, "-", 3)
    last_number = func.coalesce(InvoiceCounter.last_number, 0)
    rows = await session.execute(
        select(each.name, last_number, func.count(Invoice.id), func.max(number))
        .outerjoin(
            InvoiceCounter,
            InvoiceCounter.prefix + "-" + cast(InvoiceCounter.year, String) == each.name,
        )
        .outerjoin(Invoice, Invoice.invoice_number.startswith(each.name + "-"))
        .group_by(each.name, InvoiceCounter.last_number)
        .order_by(each.name)
    )
    return [Series(*row) for row in rows]


def _part(number: int) -> ColumnElement[str]:
    """Of an invoice's number, from 1 on."""
    return func.split_part(Invoice.invoice_number, "-", number, type_=String)


def _eight_digits(number: SQLColumnExpression[int]) -> ColumnElement[str]:
    return func.lpad(cast(number, String), 8, "0", type_=String)


def _touched(span: Span) -> CompoundSelect[*tuple[Any, ...]]:
    """The ids of invoices that were issued or voided in the span, or credited, or whose payment was
    refunded, or whose refund came back."""
    each = aliased(Invoice)
    of_payment = select(each.id).join(
        PaymentReversal, PaymentReversal.payment_id == each.payment_event_id
    )
    return union(
        select(each.id).where(*within(span, each.issued_at)),
        select(each.id).where(*within(span, each.voided_at)),
        select(each.credited_invoice_id).where(*within(span, each.issued_at)),
        of_payment.where(*within(span, PaymentReversal.created_at)),
        of_payment.where(*within(span, PaymentReversal.returned_at)),
    )


def _is_note_of_top_up() -> ColumnElement[bool]:
    """Or a note of nothing, or of another note, which there never is."""
    return (Invoice.kind == "credit_note") & func.coalesce(
        _original.kind.in_(("topup", "credit_note")), True
    )


def _sum(amount: SQLColumnExpression[int], *which: ColumnElement[bool]) -> ScalarSelect[int]:
    """Of the rows that ``which`` joins to an invoice."""
    total = cast(func.coalesce(func.sum(amount), 0), BigInteger)
    return select(total).where(*which).correlate(Invoice).scalar_subquery()
