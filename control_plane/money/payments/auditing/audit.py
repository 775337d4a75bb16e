"""The audit of payments and invoices: what gateways captured is in the ledger and on paper. A
difference is a bug or a forgery, which is only reported."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from control_plane.money.payments.auditing import repository
from control_plane.platform.database import Database


class PaymentDifference(NamedTuple):
    tenant_id: UUID | None
    """``None``: it concerns the numbers of all invoices."""
    what: str
    """The rest of a sentence."""


async def audit_payments(database: Database) -> list[PaymentDifference]:
    """Compare every captured payment, refund and dispute with its entry, every captured payment
    with its invoice, and the invoices' numbers with their counters.

    Raises:
        DatabaseUnavailable: PostgreSQL is down.
    """
    async with database.system_session() as session:
        return [
            *(
                PaymentDifference(tenant_id, f"payment {payment_id} is not posted as it was paid")
                for tenant_id, payment_id in await repository.payments_not_posted(session)
            ),
            *(
                PaymentDifference(tenant_id, f"{gateway_id} is not posted as it was taken back")
                for tenant_id, gateway_id in await repository.reversals_not_posted(session)
            ),
            *(
                PaymentDifference(tenant_id, f"payment {payment_id} has no invoice over it")
                for tenant_id, payment_id in await repository.payments_not_invoiced(session)
            ),
            *(
                PaymentDifference(None, f"the invoices {series} are not numbered without gaps")
                for series in await repository.series_with_gaps(session)
            ),
        ]
