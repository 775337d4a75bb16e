"""What is told of credit that the operator has posted. Source: API spec, "Events":
``billing.topup_confirmed``."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.platform.outbox.events import add_notification_event


def tell_top_up(
    session: AsyncSession, tenant_id: UUID, amount_micros: int, *, transaction_id: UUID
) -> None:
    """Credit that was paid for is in the account.

    Args:
        transaction_id: the ledger entry that added it.
    """
    amount_usd = usd(amount_micros)
    add_notification_event(
        session,
        tenant_id,
        "billing.topup_confirmed",
        title="Your top-up has arrived",
        message=f"${amount_usd:.2f} were added to your balance.",
        metadata={"amount_usd": amount_usd, "transaction_id": str(transaction_id)},
    )
