"""What Razorpay's entities and events say. Pure. Source: Razorpay, "Webhook payloads"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from control_plane.money.payments.gateways.fields import (
    id_in,
    inner,
    required_amount,
    required_text,
    text,
)
from control_plane.money.payments.gateways.gateway import (
    Captured,
    Declined,
    Disputed,
    DisputeWon,
    GatewayFact,
    MandateConfirmed,
    MandateEnded,
    PaymentReport,
    Refunded,
    RefundReversed,
    ReversalReport,
    SavedMethod,
    Waiting,
)

_Object = Mapping[str, Any]


def read_razorpay_event(event: Mapping[str, Any]) -> GatewayFact | None:
    """``None`` for an event that is not about our payments.

    Raises:
        MissingField: it is, but it has not the fields that it should have.
    """
    read = _READERS.get(str(event.get("event")))
    return None if read is None else read(inner(event, "payload"))


def payment_report(payment: _Object) -> PaymentReport:
    """What a payment entity says.

    Razorpay refunds by itself what it was late to authorize, and a second payment of one order. It
    has not captured such a payment, whose money was never ours (source: "Auto-Refunds").
    """
    payment_id, status = required_text(payment, "id"), text(payment, "status")
    if status == "captured" or (status == "refunded" and payment.get("captured") is not False):
        return Captured(
            payment_id,
            required_amount(payment, "amount"),
            required_text(payment, "currency").upper(),
            _method_of(payment),
        )
    return _declined(payment) if status in ("failed", "refunded") else Waiting(payment_id)


def report_of_order(payments: Sequence[_Object]) -> PaymentReport | None:
    """What all payments of an order say together: one capture is enough, and the order is declined
    only if each of them is. ``None``: nobody has tried to pay."""
    reports = [payment_report(each) for each in payments]
    for kind in (Captured, Waiting, Declined):
        for report in reports:
            if isinstance(report, kind):
                return report
    return None


def _declined(payment: _Object) -> Declined:
    return Declined(
        text(payment, "error_reason") or text(payment, "error_code") or "declined",
        text(payment, "error_description") or "The payment was declined.",
        text(payment, "id"),
    )


def _method_of(payment: _Object) -> SavedMethod | None:
    token = text(payment, "token_id")
    if token is None:
        return None
    return _saved(token, text(payment, "method"), inner(payment, "card"), text(payment, "vpa"))


def _saved(token: str, method: str | None, card: _Object, vpa: str | None) -> SavedMethod:
    return SavedMethod(
        token,
        method or "card",
        upi_vpa=vpa,
        card_brand=text(card, "network"),
        card_last4=text(card, "last4"),
        card_country=text(card, "country"),
    )


def _about(payment: _Object, report: PaymentReport) -> GatewayFact:
    payment_id = id_in(inner(payment, "notes"), "payment_id")
    return GatewayFact(report, payment_id, text(payment, "order_id"))


def payment_fact(payment: _Object) -> GatewayFact:
    """What a payment entity says, and about which payment."""
    return _about(payment, payment_report(payment))


def _payment(payload: _Object) -> GatewayFact:
    return payment_fact(inner(payload, "payment", "entity"))


def _failed_payment(payload: _Object) -> GatewayFact:
    payment = inner(payload, "payment", "entity")
    return _about(payment, _declined(payment))


def refund_report(refund: _Object) -> ReversalReport | None:
    """What a refund says today; ``None``: it has not happened yet."""
    status = text(refund, "status")
    if status == "failed":
        return RefundReversed(required_text(refund, "id"))
    return _refunded(refund) if status == "processed" else None


def dispute_report(dispute: _Object) -> ReversalReport | None:
    """What a dispute says today; ``None``: Razorpay has taken nothing.

    It takes the money when a dispute begins, or when it is lost.
    """
    dispute_id = required_text(dispute, "id")
    if text(dispute, "status") == "won":
        return DisputeWon(dispute_id)
    amount = required_amount(dispute, "amount_deducted")
    return Disputed(dispute_id, required_text(dispute, "payment_id"), amount) if amount else None


def _refunded(refund: _Object) -> Refunded:
    return Refunded(
        required_text(refund, "id"),
        required_text(refund, "payment_id"),
        required_amount(refund, "amount"),
    )


def _refund(payload: _Object) -> GatewayFact:
    return GatewayFact(_refunded(inner(payload, "refund", "entity")))


def _failed_refund(payload: _Object) -> GatewayFact:
    return GatewayFact(RefundReversed(required_text(inner(payload, "refund", "entity"), "id")))


def _dispute(payload: _Object) -> GatewayFact | None:
    report = dispute_report(inner(payload, "dispute", "entity"))
    return None if report is None else GatewayFact(report)


def _dispute_won(payload: _Object) -> GatewayFact:
    return GatewayFact(DisputeWon(required_text(inner(payload, "dispute", "entity"), "id")))


def _token_confirmed(payload: _Object) -> GatewayFact:
    token = inner(payload, "token", "entity")
    vpa = inner(token, "vpa")
    name, handle = text(vpa, "username"), text(vpa, "handle")
    most = token.get("max_amount")
    method = replace(
        _saved(
            required_text(token, "id"),
            text(token, "method"),
            inner(token, "card"),
            f"{name}@{handle}" if name and handle else None,
        ),
        max_amount_minor=most if isinstance(most, int) else None,
    )
    return GatewayFact(MandateConfirmed(required_text(token, "customer_id"), method))


def _token_ended(payload: _Object) -> GatewayFact:
    token = inner(payload, "token", "entity")
    return GatewayFact(
        MandateEnded(required_text(token, "customer_id"), required_text(token, "id"))
    )


_READERS: Mapping[str, Callable[[_Object], GatewayFact | None]] = {
    "payment.captured": _payment,
    "order.paid": _payment,
    "payment.failed": _failed_payment,
    "refund.processed": _refund,
    "refund.failed": _failed_refund,
    "payment.dispute.created": _dispute,
    "payment.dispute.lost": _dispute,
    "payment.dispute.won": _dispute_won,
    "token.confirmed": _token_confirmed,
    "token.cancelled": _token_ended,
    "token.rejected": _token_ended,
}
"""By the event's name."""
