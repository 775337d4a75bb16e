"""What Stripe's objects and events say. Pure. Source: Stripe's API reference, "Events"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from control_plane.money.invoices.tax import share
from control_plane.money.payments.gateways.fields import (
    amounts,
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
    DisputePartlyWon,
    DisputeWon,
    Expired,
    GatewayFact,
    PaymentReport,
    Refunded,
    RefundReversed,
    ReversalReport,
    SavedMethod,
    Waiting,
)

_Object = Mapping[str, Any]


def read_stripe_event(event: Mapping[str, Any]) -> GatewayFact | None:
    """``None`` for an event that is not about our payments.

    Raises:
        MissingField: it is, but it has not the fields that it should have.
    """
    read = _READERS.get(str(event.get("type")))
    return None if read is None else read(inner(event, "data", "object"))


def intent_report(intent: _Object) -> PaymentReport:
    """What a payment intent says. Its ``latest_charge`` may be expanded."""
    status = text(intent, "status")
    intent_id = required_text(intent, "id")
    charge = inner(intent, "latest_charge")
    if status == "succeeded":
        return Captured(
            intent_id,
            required_amount(intent, "amount_received"),
            required_text(intent, "currency").upper(),
            saved_method(charge),
        )
    error = inner(intent, "last_payment_error")
    if status == "canceled" or (status == "requires_payment_method" and error):
        return _declined(error, intent_id)
    return Waiting(intent_id)


def session_report(hosted: _Object) -> PaymentReport:
    """What a checkout session says. Its ``payment_intent`` may be expanded."""
    if intent := inner(hosted, "payment_intent"):
        report = intent_report(intent)
        # Until it is complete, a customer whose card was declined may try another one.
        if isinstance(report, Captured) or hosted.get("status") == "complete":
            return report
    intent_id = text(hosted, "payment_intent") or text(intent, "id")
    if hosted.get("payment_status") == "paid" and intent_id is not None:
        return Captured(
            intent_id,
            required_amount(hosted, "amount_total"),
            required_text(hosted, "currency").upper(),
        )
    return Expired() if hosted.get("status") == "expired" else Waiting(intent_id)


def saved_method(charge: _Object) -> SavedMethod | None:
    """The method with which a charge was paid."""
    token = text(charge, "payment_method")
    details = inner(charge, "payment_method_details")
    if token is None or not details:
        return None
    card = inner(details, "card")
    return SavedMethod(
        token,
        text(details, "type") or "card",
        card_brand=text(card, "brand"),
        card_last4=text(card, "last4"),
        card_country=text(card, "country"),
    )


def _declined(error: _Object, intent_id: str | None) -> Declined:
    code = text(error, "decline_code") or text(error, "code") or "declined"
    return Declined(code, text(error, "message") or "The payment was declined.", intent_id)


def _intent(intent: _Object) -> GatewayFact:
    return GatewayFact(intent_report(intent), id_in(inner(intent, "metadata"), "payment_id"))


def _failed_intent(intent: _Object) -> GatewayFact:
    report = _declined(inner(intent, "last_payment_error"), text(intent, "id"))
    return GatewayFact(report, id_in(inner(intent, "metadata"), "payment_id"))


def _session(session: _Object) -> GatewayFact:
    return GatewayFact(
        session_report(session),
        id_in(inner(session, "metadata"), "payment_id"),
        text(session, "id"),
    )


def _failed_session(session: _Object) -> GatewayFact:
    report = Declined("declined", "The bank did not pay.", text(session, "payment_intent"))
    payment_id = id_in(inner(session, "metadata"), "payment_id")
    return GatewayFact(report, payment_id, text(session, "id"))


def captured_charge(charge: _Object) -> GatewayFact | None:
    """What a charge says, which alone tells with which card it was paid; ``None``: its money is not
    here, such as that of a bank debit which is under way, or it is of no payment."""
    intent_id = text(charge, "payment_intent")
    payment_id = id_in(inner(charge, "metadata"), "payment_id")
    is_captured = charge.get("captured") is True and text(charge, "status") == "succeeded"
    if intent_id is None or not is_captured:
        return None
    report = Captured(
        intent_id,
        required_amount(charge, "amount_captured"),
        required_text(charge, "currency").upper(),
        saved_method(charge),
    )
    return GatewayFact(report, payment_id)


def refund_report(refund: _Object) -> ReversalReport | None:
    """``None``: it has not happened yet, or is of no payment."""
    refund_id, status = required_text(refund, "id"), text(refund, "status")
    intent_id = text(refund, "payment_intent")
    if status in ("failed", "canceled"):
        return RefundReversed(refund_id)
    if status != "succeeded" or intent_id is None:
        return None
    return Refunded(refund_id, intent_id, required_amount(refund, "amount"))


def dispute_report(dispute: _Object) -> ReversalReport | None:
    """What a dispute says today. While it is a mere inquiry, the bank has taken nothing."""
    status = text(dispute, "status") or ""
    if status == "won":
        return DisputeWon(required_text(dispute, "id"))
    if status not in ("needs_response", "under_review", "lost"):
        return None
    disputed = _disputed(dispute)
    return disputed if disputed is None or status != "lost" else _lost(dispute, disputed)


def _refund(refund: _Object) -> GatewayFact | None:
    report = refund_report(refund)
    return None if report is None else GatewayFact(report)


def _disputed(dispute: _Object) -> Disputed | None:
    intent_id = text(dispute, "payment_intent")
    if intent_id is None:
        return None
    return Disputed(required_text(dispute, "id"), intent_id, required_amount(dispute, "amount"))


def _funds_withdrawn(dispute: _Object) -> GatewayFact | None:
    report = _disputed(dispute)
    return None if report is None else GatewayFact(report)


def _lost(dispute: _Object, disputed: Disputed) -> ReversalReport:
    """What was refunded before comes back although the dispute is lost. Stripe books in the
    currency in which it pays out, so only the proportion counts.

    Source: Stripe's support, "Dispute for full charge amount after a partial refund was issued".
    """
    booked = [0, *amounts(dispute, "balance_transactions")]
    taken, returned = -min(booked), max(booked)
    if not taken or not returned:
        return disputed
    kept = share(disputed.amount_minor, max(0, taken - returned), taken)
    if not kept:
        return DisputeWon(disputed.dispute_id)
    return DisputePartlyWon(
        disputed.dispute_id,
        Disputed(f"{disputed.dispute_id}:kept", disputed.gateway_payment_id, kept),
    )


def _funds_reinstated(dispute: _Object) -> GatewayFact | None:
    if text(dispute, "status") != "lost":
        return GatewayFact(DisputeWon(required_text(dispute, "id")))
    report = dispute_report(dispute)
    return None if report is None else GatewayFact(report)


_READERS: Mapping[str, Callable[[_Object], GatewayFact | None]] = {
    "checkout.session.completed": _session,
    "checkout.session.async_payment_succeeded": _session,
    "checkout.session.async_payment_failed": _failed_session,
    "checkout.session.expired": _session,
    "payment_intent.succeeded": _intent,
    "payment_intent.payment_failed": _failed_intent,
    "charge.succeeded": captured_charge,
    "refund.created": _refund,
    "refund.updated": _refund,
    "refund.failed": _refund,
    "charge.refund.updated": _refund,
    "charge.dispute.funds_withdrawn": _funds_withdrawn,
    "charge.dispute.funds_reinstated": _funds_reinstated,
}
"""By the event's type. ``charge.refunded`` is not among them: each refund has events of its own."""
