"""What differs among what was paid, given back, posted and invoiced, in sentences."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.money.billing.audits.rotation import Span
from control_plane.money.payments.auditing import invoice_repository, posting_repository
from control_plane.money.payments.auditing.invoice_repository import Series
from control_plane.money.payments.auditing.mismatch import Mismatch
from control_plane.money.payments.auditing.posting_repository import Posting, Unfounded


class PaymentDifference(NamedTuple):
    tenant_id: UUID | None
    """``None``: it concerns the numbers of all invoices."""
    what: str
    """The rest of a sentence."""


async def differences_within(session: AsyncSession, span: Span) -> list[PaymentDifference]:
    """Compare every payment that was captured in the span, its bonus, every refund and dispute, and
    what came back of them, with their entries, both ways; every captured payment with its invoice,
    both ways; invoices with their items, and their credit notes with refunds and voids. Each
    difference names both figures."""
    differences: list[PaymentDifference] = []
    for posting, what in _POSTINGS:
        not_posted = await posting_repository.not_posted(session, posting, span)
        differences += [_missing(what, each) for each in not_posted]
        differences += map(_forged, await posting_repository.unfounded(session, posting, span))
    differences += map(_invoicing, await invoice_repository.payments_not_invoiced(session, span))
    for find, what, is_what in _PAPERS:
        differences += [_paper(what, is_what, each) for each in await find(session, span)]
    return differences


_POSTINGS: Sequence[tuple[Posting, str]] = (
    (posting_repository.TOP_UPS, "the credit of payment"),
    (posting_repository.BONUSES, "the bonus of payment"),
    (posting_repository.REFUNDS, "what was taken back by"),
    (posting_repository.DISPUTES, "what was taken back by"),
    (posting_repository.FAILED_REFUNDS, "what came back of"),
    (posting_repository.WON_DISPUTES, "what came back of"),
)


def _missing(what: str, each: Mismatch) -> PaymentDifference:
    entry = "missing" if each.found is None else _dollars(each.found)
    return PaymentDifference(
        each.tenant_id,
        f"{what} {each.which} is {_dollars(each.expected)}, and its entry is {entry}",
    )


def _forged(each: Unfounded) -> PaymentDifference:
    return PaymentDifference(
        each.tenant_id,
        f"the entry {each.reference} is {_dollars(each.micros)}, and what it was posted for is"
        " missing",
    )


def _invoicing(each: Mismatch) -> PaymentDifference:
    invoice = "missing" if each.found is None else f"over {each.found}"
    return PaymentDifference(
        each.tenant_id,
        f"payment {each.which} is over {each.expected} minor units of {each.currency}, and its"
        f" invoice is {invoice}",
    )


_PAPERS: Sequence[tuple[Callable[[AsyncSession, Span], Awaitable[list[Mismatch]]], str, str]] = (
    (
        invoice_repository.invoices_not_paid,
        "invoice {} is over",
        "the captured payment that it is for is",
    ),
    (invoice_repository.papers_not_itemized, "the subtotal of {} is", "the sum of its items is"),
    (
        invoice_repository.invoices_wrongly_credited,
        "what was refunded or voided of invoice {} is",
        "the sum of its credit notes is",
    ),
    (
        invoice_repository.notes_without_reason,
        "credit note {} is over",
        "the refund or void that it is for is",
    ),
)
"""With both halves of a sentence."""


def _paper(what: str, is_what: str, each: Mismatch) -> PaymentDifference:
    found = "missing" if each.found is None else each.found
    return PaymentDifference(
        each.tenant_id,
        f"{what.format(each.which)} {each.expected} minor units of {each.currency}, and {is_what}"
        f" {found}",
    )


def numbering(series: Series) -> PaymentDifference:
    return PaymentDifference(
        None,
        f"the counter of the invoices {series.name} is at {series.last_number}, and"
        f" {series.invoices} have a number, the highest {series.highest or 'none'}",
    )


def _dollars(micros: int) -> str:
    return f"{'-' * (micros < 0)}${usd(abs(micros)):.6f}"
