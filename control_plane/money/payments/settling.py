"""What becomes of a payment when its gateway says something about it. Nothing here commits.

Any report may come twice, late, or before the answer to the request that caused it. Money that the
gateway has captured is posted exactly once, whatever was known about the payment before.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID, uuid4

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from contracts.money import usd
from control_plane.money.billing.credit import post_topup
from control_plane.money.invoices.minor_units import shown
from control_plane.money.invoices.service import Line, PaidBill, issue_for_top_up
from control_plane.money.invoices.tax import share, shares
from control_plane.money.payments import methods, recharge_settings, repository
from control_plane.money.payments.gateways.gateway import (
    Captured,
    Declined,
    Expired,
    PaymentReport,
    Waiting,
)
from control_plane.money.payments.locking import lock_account
from control_plane.money.payments.models import Payment, PaymentKind, PaymentState
from control_plane.money.payments.recharge_settings import MOST_DECLINES
from control_plane.platform.outbox.events import add_notification_event
from control_plane.platform.settings import ControlPlaneSettings

RETRY_AFTER_DECLINES = (timedelta(hours=1), timedelta(hours=12))
"""How long a recharge waits after the first decline and after the second in a row."""
_ADVICE = {
    "authentication_required": "Your bank wants you to confirm it: pay once by hand.",
    "above_mandate": "Your mandate does not allow so much: recharge less, or register another one.",
    "gateway_not_configured": "Your payment method cannot be charged here any more: save another.",
}
"""What a tenant can do about a decline, by its code."""
_log = structlog.get_logger(__name__)


async def settle(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    payment_id: UUID,
    report: PaymentReport,
    now: datetime,
) -> Payment:
    """Apply what a gateway says about a payment. Needs a system session.

    Returns:
        The payment that the report is about: the given one, or a further one if money was captured
        for it a second time.
    """
    payment = await locked(session, payment_id)
    if isinstance(report, Captured):
        return await _capture(session, settings, payment, report, now)
    if not payment.is_resolved:
        match report:
            case Waiting():
                payment.state = PaymentState.OPEN
                payment.gateway_payment_id = payment.gateway_payment_id or report.gateway_payment_id
            case Expired():
                payment.state, payment.resolved_at = PaymentState.EXPIRED, now
            case Declined():
                await _decline(session, payment, report, now)
        await session.flush()
    return payment


async def locked(session: AsyncSession, payment_id: UUID) -> Payment:
    """The payment, and its tenant's account before it."""
    found = await repository.find(session, payment_id)
    assert found is not None, "payments are never deleted"
    await lock_account(session, found.tenant_id)
    return await repository.locked(session, payment_id)


async def fail_quietly(
    session: AsyncSession, payment: Payment, code: str, message: str, now: datetime
) -> None:
    """End a payment that the gateway never got. Nobody's card was declined."""
    payment.state, payment.resolved_at = PaymentState.FAILED, now
    payment.failure_code, payment.failure_message = code, message
    await session.flush()


async def _capture(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    payment: Payment,
    report: Captured,
    now: datetime,
) -> Payment:
    if payment.state == PaymentState.SUCCEEDED:
        if payment.gateway_payment_id == report.gateway_payment_id:
            await _save_method(session, settings, payment, report)
            return payment
        _log.error(
            "payment_captured_twice",
            payment_id=str(payment.id),
            gateway_payment_id=report.gateway_payment_id,
        )
        payment = _second_of(payment)
        session.add(payment)
    if (report.currency, report.amount_minor) != (payment.currency, payment.total_minor):
        _log.error(
            "captured_amount_differs",
            payment_id=str(payment.id),
            captured=shown_amount(report),
            wanted=f"{payment.currency} {payment.total_minor}",
        )
        _take_amount_of(payment, report)
    payment.state, payment.resolved_at = PaymentState.SUCCEEDED, now
    payment.gateway_payment_id = report.gateway_payment_id
    payment.failure_code = payment.failure_message = None
    # Two payments with one id of the gateway would be one payment posted twice.
    await session.flush()
    price = shown(payment.total_minor, payment.currency)
    posted = await post_topup(
        session,
        payment.tenant_id,
        payment.credit_micros,
        f"{'Automatic recharge' if payment.kind == PaymentKind.RECHARGE else 'Top-up'}, {price}",
        reference=f"{payment.gateway}:{report.gateway_payment_id}",
        bonus_micros=payment.bonus_micros,
        details={"payment_id": str(payment.id), "gateway": payment.gateway},
    )
    await _save_method(session, settings, payment, report)
    if payment.kind == PaymentKind.RECHARGE:
        await _forget_declines(session, payment.tenant_id)
    _tell_of_top_up(session, payment)
    await _invoice(session, settings, payment, posted.topup.entry.id, now)
    return payment


def shown_amount(report: Captured) -> str:
    """For a log: the currency may be one that we do not charge."""
    return f"{report.currency} {report.amount_minor}"


def _second_of(payment: Payment) -> Payment:
    """The gateway has captured money for ``payment`` once more. It is a payment, too."""
    return Payment(
        id=uuid4(),
        tenant_id=payment.tenant_id,
        kind=PaymentKind.CHECKOUT,
        gateway=payment.gateway,
        currency=payment.currency,
        subtotal_minor=payment.subtotal_minor,
        tax_minor=payment.tax_minor,
        total_minor=payment.total_minor,
        credit_micros=payment.credit_micros,
        bonus_micros=payment.bonus_micros,
        taxes=payment.taxes,
        billing_country=payment.billing_country,
        tax_id=payment.tax_id,
    )


def _take_amount_of(payment: Payment, report: Captured) -> None:
    """The papers are about what was captured, and its parts add up. Another amount than was asked
    for gives credit in proportion. What a gateway has converted to another currency gives all."""
    if not payment.total_minor:
        return
    whole, part = payment.total_minor, report.amount_minor
    if report.currency == payment.currency:
        payment.credit_micros = max(1, share(payment.credit_micros, part, whole))
        payment.bonus_micros = share(payment.bonus_micros, part, whole)
    parts = shares([tax["amount_minor"] for tax in payment.taxes], part, whole)
    payment.taxes = [
        {**tax, "amount_minor": amount} for tax, amount in zip(payment.taxes, parts, strict=True)
    ]
    payment.currency = report.currency
    payment.tax_minor = share(payment.tax_minor, part, whole)
    payment.total_minor = part
    payment.subtotal_minor = part - payment.tax_minor


async def _save_method(
    session: AsyncSession, settings: ControlPlaneSettings, payment: Payment, report: Captured
) -> None:
    # Razorpay keeps cards for its own checkout, too. Only a mandate lets them be charged again.
    is_for_later = payment.kind == PaymentKind.MANDATE or (
        payment.save_card and payment.gateway != "razorpay"
    )
    if report.method is None or not is_for_later:
        return
    await methods.save(
        session,
        settings.sealer,
        payment.tenant_id,
        payment.gateway,
        report.method,
        max_amount_minor=payment.mandate_max_minor,
    )


async def _forget_declines(session: AsyncSession, tenant_id: UUID) -> None:
    auto = await repository.auto_recharge(session, tenant_id, for_update=True)
    if auto is not None:
        auto.declines, auto.retry_at = 0, None


async def _decline(
    session: AsyncSession, payment: Payment, report: Declined, now: datetime
) -> None:
    """At a checkout the customer is told by the gateway, and may try again. A recharge is over, and
    the next one waits."""
    payment.failure_code, payment.failure_message = report.code, report.message
    if payment.kind != PaymentKind.RECHARGE:
        return
    payment.state, payment.resolved_at = PaymentState.FAILED, now
    auto = await repository.auto_recharge(session, payment.tenant_id, for_update=True)
    assert auto is not None, "a recharge comes from its settings"
    auto.declines += 1
    is_last = auto.declines >= MOST_DECLINES
    if is_last:
        await recharge_settings.switch_off(session, payment.tenant_id)
    else:
        auto.retry_at = now + RETRY_AFTER_DECLINES[auto.declines - 1]
    _tell_of_decline(session, payment, report, was_switched_off=is_last)


def _tell_of_decline(
    session: AsyncSession, payment: Payment, report: Declined, *, was_switched_off: bool
) -> None:
    amount = f"${usd(payment.credit_micros):.2f}"
    advice = _ADVICE.get(report.code, "Check your payment method.")
    then = (
        f" It was declined {MOST_DECLINES} times in a row, so automatic recharge is off now."
        if was_switched_off
        else ""
    )
    tell_of_failure(
        session,
        payment,
        title="A payment failed",
        message=f"Your automatic recharge of {amount} was declined. {advice}{then}",
        code=report.code,
        was_switched_off=was_switched_off,
    )


def tell_of_failure(
    session: AsyncSession,
    payment: Payment,
    *,
    title: str,
    message: str,
    code: str,
    was_switched_off: bool,
) -> None:
    """Tell the tenant with ``billing.payment_failed`` what concerns its automatic recharge."""
    add_notification_event(
        session,
        payment.tenant_id,
        "billing.payment_failed",
        title=title,
        message=message,
        metadata={
            "payment_id": str(payment.id),
            "gateway": payment.gateway,
            "code": code,
            "auto_recharge_enabled": not was_switched_off,
        },
    )


def _tell_of_top_up(session: AsyncSession, payment: Payment) -> None:
    amount = f"${usd(payment.credit_micros):.2f}"
    bonus = f" and a bonus of ${usd(payment.bonus_micros):.2f}" if payment.bonus_micros else ""
    add_notification_event(
        session,
        payment.tenant_id,
        "billing.topup_confirmed",
        title="Your credit is topped up",
        message=f"{amount}{bonus} were added to your credit.",
        metadata={
            "payment_id": str(payment.id),
            "kind": payment.kind,
            "amount_usd": usd(payment.credit_micros),
            "bonus_usd": usd(payment.bonus_micros),
        },
    )


async def _invoice(
    session: AsyncSession,
    settings: ControlPlaneSettings,
    payment: Payment,
    entry_id: UUID,
    now: datetime,
) -> None:
    found = await repository.tenant_and_owner(session, payment.tenant_id)
    assert found is not None, "a payment has a tenant"
    lines = [
        Line(
            "topup",
            f"Prepaid credit for ${usd(payment.credit_micros):.2f} of use",
            payment.subtotal_minor,
            entry_id,
        )
    ]
    if payment.bonus_micros:
        lines.append(Line("bonus", f"Bonus credit of ${usd(payment.bonus_micros):.2f}", 0))
    await issue_for_top_up(
        session,
        PaidBill(
            payment_id=payment.id,
            tenant_id=payment.tenant_id,
            gateway=payment.gateway,
            currency=payment.currency,
            subtotal_minor=payment.subtotal_minor,
            tax_minor=payment.tax_minor,
            taxes=payment.taxes,
            billed_to={
                "name": found[0],
                "country": payment.billing_country,
                "tax_id": payment.tax_id,
            },
            lines=lines,
        ),
        settings.invoice_prefix,
        now,
    )
