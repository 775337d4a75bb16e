"""What is told of payments. Source: API spec, "Events": ``billing.topup_confirmed``,
``billing.payment_failed`` and the category ``billing.invoice_ready``."""

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


def tell_payment_failure(
    session: AsyncSession, tenant_id: UUID, amount_micros: int, reason: str
) -> None:
    """
    Args:
        reason: a sentence for the payer, such as "The card was declined."
    """
    amount_usd = usd(amount_micros)
    add_notification_event(
        session,
        tenant_id,
        "billing.payment_failed",
        title="A payment has failed",
        message=f"A payment of ${amount_usd:.2f} has failed. {reason}",
        metadata={"amount_usd": amount_usd, "reason": reason},
    )


def tell_invoice(
    session: AsyncSession,
    tenant_id: UUID,
    *,
    invoice_id: UUID,
    invoice_number: str,
    total_minor: int,
    currency: str,
) -> None:
    """
    Args:
        total_minor: in the minor unit of ``currency``, an ISO 4217 code.
    """
    add_notification_event(
        session,
        tenant_id,
        "billing.invoice_ready",
        title=f"Your invoice {invoice_number}",
        message=f"Invoice {invoice_number} is ready.",
        metadata={
            "invoice_id": str(invoice_id),
            "invoice_number": invoice_number,
            "total_minor": total_minor,
            "currency": currency,
        },
    )
