"""Money that goes back: refunds and disputes. Nothing here commits.

They take credit from the balance, which may fall below zero; calls then stop. Needs a system
session.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.money.billing import service as billing
from control_plane.money.billing.credit import post_dispute, post_dispute_won, post_refund
from control_plane.money.invoices import repository as invoices
from control_plane.money.invoices.minor_units import shown
from control_plane.money.invoices.service import credit as issue_credit_note
from control_plane.money.invoices.tax import share
from control_plane.money.payments import recharge_settings, repository
from control_plane.money.payments.gateways.gateway import (
    Disputed,
    DisputePartlyWon,
    DisputeWon,
    Refunded,
    RefundReversed,
    ReversalReport,
)
from control_plane.money.payments.locking import lock_account
from control_plane.money.payments.models import Payment, PaymentReversal, PaymentState
from control_plane.money.payments.reversals import repository as reversals
from control_plane.money.payments.settling import locked, tell_of_failure


async def take_back(
    session: AsyncSession,
    gateway: str,
    report: Refunded | Disputed,
    *,
    prefix: str,
    now: datetime,
) -> bool:
    """Post a refund or a dispute, once.

    Returns:
        ``False`` if its payment is not known, or is not known to be captured, yet.
    """
    found = await repository.known_by(
        session, gateway, gateway_payment_id=report.gateway_payment_id
    )
    if found is None:
        return False
    payment = await locked(session, found.id)
    if payment.state != PaymentState.SUCCEEDED:
        return False
    gateway_id = id_of(report)
    if await reversals.find(session, gateway, gateway_id) is not None:
        return True
    kind: Literal["refund", "dispute"] = "refund" if isinstance(report, Refunded) else "dispute"
    micros = await _credit_of(session, payment, report.amount_minor)
    session.add(
        PaymentReversal(
            gateway=gateway,
            gateway_id=gateway_id,
            tenant_id=payment.tenant_id,
            payment_id=payment.id,
            kind=kind,
            amount_minor=report.amount_minor,
            credit_micros=micros,
        )
    )
    await session.flush()
    amount = shown(report.amount_minor, payment.currency)
    said = f"Refund of {amount}" if kind == "refund" else f"Your bank took {amount} back"
    if micros:
        post = post_refund if kind == "refund" else post_dispute
        await post(
            session,
            payment.tenant_id,
            micros,
            said,
            reference=f"{gateway}:{gateway_id}",
            details={"payment_id": str(payment.id), "gateway": gateway},
        )
        await _charge_no_more(session, payment, kind, said)
    if kind == "refund":
        await _issue_note(session, payment, gateway_id, prefix, now)
    return True


async def give_back(
    session: AsyncSession,
    gateway: str,
    report: RefundReversed | DisputeWon | DisputePartlyWon,
    now: datetime,
) -> bool:
    """Post that a refund failed or a dispute was won: the money is ours again.

    Returns:
        ``False`` if it was not taken yet.
    """
    gateway_id = id_of(report)
    taken = await reversals.find(session, gateway, gateway_id)
    if taken is None:
        return False
    payment = await locked(session, taken.payment_id)
    taken = await reversals.find(session, gateway, gateway_id)
    assert taken is not None, "reversals are never deleted"
    if taken.returned_at is not None:
        return True
    taken.returned_at = now
    await session.flush()
    if not taken.credit_micros:
        return True
    reference = f"{gateway}:{gateway_id}"
    details = {"payment_id": str(payment.id), "gateway": gateway}
    if taken.kind == "dispute":
        await post_dispute_won(
            session,
            payment.tenant_id,
            taken.credit_micros,
            "A dispute with your bank was decided for us: your credit is back"
            if isinstance(report, DisputeWon)
            else "A dispute with your bank is over: it keeps only a part",
            reference=reference,
            details=details,
        )
    else:
        await billing.adjust(
            session,
            payment.tenant_id,
            "correction",
            taken.credit_micros,
            "A refund did not reach you: your credit is back",
            reference=f"refund_failed:{reference}",
            details=details,
            bucket="purchased",
            counter_account="payments",
        )
    return True


async def _charge_no_more(session: AsyncSession, payment: Payment, kind: str, said: str) -> None:
    """Switch automatic recharge off if it would now charge what has just gone back."""
    account = await lock_account(session, payment.tenant_id)
    auto = await repository.auto_recharge(session, payment.tenant_id)
    if auto is None or not auto.enabled or account.available_micros >= auto.threshold_micros:
        return
    await recharge_settings.switch_off(session, payment.tenant_id)
    tell_of_failure(
        session,
        payment,
        title="Automatic recharge is off",
        message=f"{said}. So that it is not charged again, automatic recharge is off now.",
        code=kind,
        was_switched_off=True,
    )


async def _credit_of(session: AsyncSession, payment: Payment, amount_minor: int) -> int:
    """What of the payment's credit goes with ``amount_minor``, its bonus included. The parts of a
    payment that goes back in several parts add up to all of its credit."""
    before = await reversals.reversed_minor(session, payment.id)
    credit, whole = payment.credit_micros + payment.bonus_micros, payment.total_minor
    return share(credit, before + amount_minor, whole) - share(credit, before, whole)


async def _issue_note(
    session: AsyncSession, payment: Payment, refund_id: str, prefix: str, now: datetime
) -> None:
    """A credit note over what was refunded and has none. That of a refund that failed stays, and is
    for the refund that is made in its place."""
    invoice = await invoices.of_payment(session, payment.id)
    if invoice is None:
        return
    refunded_minor = await reversals.reversed_minor(session, payment.id, ("refund",))
    credited_minor, _ = await invoices.credited(session, invoice.id)
    await issue_credit_note(
        session,
        invoice,
        refunded_minor - credited_minor,
        reference=f"refund:{payment.gateway}:{refund_id}",
        description="Refund",
        prefix=prefix,
        now=now,
    )


def id_of(report: ReversalReport) -> str:
    """The gateway's id of the refund or the dispute."""
    if isinstance(report, (Refunded, RefundReversed)):
        return report.refund_id
    return report.dispute_id
