"""The audit of payments and invoices: what gateways captured is in the ledger and on paper. A
difference is a bug or a forgery, which is only reported."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import NamedTuple
from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.money.payments.auditing import repository
from control_plane.money.payments.auditing.repository import Mismatch, Series
from control_plane.platform.database import Database


class PaymentDifference(NamedTuple):
    tenant_id: UUID | None
    """``None``: it concerns the numbers of all invoices."""
    what: str
    """The rest of a sentence."""


async def audit_payments(database: Database) -> list[PaymentDifference]:
    """Compare every captured payment, its bonus, every refund and dispute, and what came back of
    them, with their entries; every captured payment with its invoice; and the invoices' numbers
    with their counters. Each difference names both figures.

    Raises:
        DatabaseUnavailable: PostgreSQL is down.
    """
    differences: list[PaymentDifference] = []
    async with database.system_session() as session:
        for what, find in _POSTED.items():
            differences += [_posting(what, each) for each in await find(session)]
        differences += map(_invoicing, await repository.payments_not_invoiced(session))
        differences += map(_numbering, await repository.series_with_gaps(session))
    return differences


_POSTED: Mapping[str, Callable[[AsyncSession], Awaitable[list[Mismatch]]]] = {
    "the credit of payment": repository.payments_not_posted,
    "the bonus of payment": repository.bonuses_not_posted,
    "what was taken back by": repository.reversals_not_posted,
    "what came back of": repository.returns_not_posted,
}


def _posting(what: str, each: Mismatch) -> PaymentDifference:
    entry = "missing" if each.found is None else _dollars(each.found)
    return PaymentDifference(
        each.tenant_id,
        f"{what} {each.which} is {_dollars(each.expected)}, and its entry is {entry}",
    )


def _invoicing(each: Mismatch) -> PaymentDifference:
    invoice = "missing" if each.found is None else f"over {each.found}"
    return PaymentDifference(
        each.tenant_id,
        f"payment {each.which} is over {each.expected} minor units of {each.currency}, and its"
        f" invoice is {invoice}",
    )


def _numbering(series: Series) -> PaymentDifference:
    return PaymentDifference(
        None,
        f"the counter of the invoices {series.name} is at {series.last_number}, and"
        f" {series.invoices} have a number, the highest {series.highest or 'none'}",
    )


def _dollars(micros: int) -> str:
    return f"{'-' * (micros < 0)}${usd(abs(micros)):.6f}"
