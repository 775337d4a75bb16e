"""What gateways report: signed, kept once, applied once."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import time

import pytest
import razorpay as razorpay_sdk
import stripe as stripe_sdk
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from control_plane.money.payments.gateways import razorpay_events, stripe_events
from control_plane.money.payments.gateways.fields import MissingField
from control_plane.money.payments.gateways.gateway import (
    Captured,
    Declined,
    Disputed,
    DisputeWon,
    Refunded,
    RefundReversed,
)
from control_plane.money.payments.gateways.razorpay_events import read_razorpay_event
from control_plane.money.payments.gateways.signatures import (
    TOLERANCE_SECONDS,
    is_signed_by_razorpay,
    is_signed_by_stripe,
)
from control_plane.money.payments.gateways.stripe_events import read_stripe_event
from control_plane.money.payments.models import GatewayEvent
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                "id status amount amount_received currency payment_intent payment entity token"
                " refund dispute metadata payment_id card latest_charge customer_id".split()
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
STRIPE_TYPES = (
    "checkout.session.completed",
    "checkout.session.async_payment_failed",
    "checkout.session.expired",
    "payment_intent.succeeded",
    "payment_intent.payment_failed",
    "charge.succeeded",
    "refund.created",
    "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated",
)
RAZORPAY_TYPES = (
    "payment.captured",
    "payment.failed",
    "order.paid",
    "refund.processed",
    "payment.dispute.lost",
    "payment.dispute.won",
    "token.confirmed",
    "token.cancelled",
)


@given(st.sampled_from(STRIPE_TYPES), JSON)
def test_no_document_breaks_the_reader_of_stripes_events(kind: str, of: object) -> None:
    with contextlib.suppress(MissingField):
        read_stripe_event({"type": kind, "data": {"object": of}})


@given(st.sampled_from(RAZORPAY_TYPES), JSON)
def test_no_document_breaks_the_reader_of_razorpays_events(kind: str, of: object) -> None:
    with contextlib.suppress(MissingField):
        read_razorpay_event({"event": kind, "payload": of})


def test_stripes_own_signatures_are_right_and_others_are_not() -> None:
    body, now = b'{"id": "evt_1"}', int(time.time())
    header = stripe_sdk.WebhookSignature.generate_signature_header(body.decode(), "whsec_1", now)
    assert is_signed_by_stripe(body, header, "whsec_1", now)
    assert is_signed_by_stripe(body, header.replace(",v1", ",v1=00,v1"), "whsec_1", now)
    assert not is_signed_by_stripe(body + b" ", header, "whsec_1", now)
    assert not is_signed_by_stripe(body, header, "whsec_2", now)
    assert not is_signed_by_stripe(body, header, "whsec_1", now + TOLERANCE_SECONDS + 1)
    for broken in ("", "t=,v1=", "v1=00", "t=1,t=2", "t=²,v1=é", header.replace("v1", "v0")):
        assert not is_signed_by_stripe(body, broken, "whsec_1", now)


def test_what_we_take_for_razorpays_signature_its_sdk_takes_too() -> None:
    body = b'{"event": "payment.captured"}'
    header = hmac.new(b"secret", body, hashlib.sha256).hexdigest()
    utility = razorpay_sdk.Client(auth=("id", "key")).utility
    assert utility.verify_webhook_signature(body.decode(), header, "secret")
    assert is_signed_by_razorpay(body, header, "secret")
    assert not is_signed_by_razorpay(body, header, "other")
    assert not is_signed_by_razorpay(body + b" ", header, "secret")
    assert not is_signed_by_razorpay(body, "é", "secret")


@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_an_event_that_the_gateway_has_not_signed_is_400_and_not_kept(
    payer: Payer, gateway: str
) -> None:
    answer = await payer.tenant.http.post(
        f"/v1/gateways/{gateway}/events",
        content=b"{}",
        headers={"Stripe-Signature": "t=1,v1=00", "X-Razorpay-Signature": "00"},
    )
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_signature")
    assert await kept(payer) == []


async def test_an_unknown_event_is_kept_and_ignored(payer: Payer, stripe: StripeWire) -> None:
    event_id, event = stripe.event("radar.early_fraud_warning.created", {"id": "issfr_1"})
    await stripe.events.report(event_id, event, "twice")
    assert await kept(payer) == [(event_id, "radar.early_fraud_warning.created", "ignored")]


async def test_an_event_of_somebody_elses_payment_is_ignored(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire
) -> None:
    intent = {
        "id": "pi_of_another_shop",
        "status": "succeeded",
        "amount_received": 5,
        "currency": "usd",
    }
    event_id, event = stripe.event("payment_intent.succeeded", intent)
    await stripe.events.report(event_id, event, "after")
    assert [outcome for _, _, outcome in await kept(payer)] == ["ignored"]
    assert await payer.entries() == []


@pytest.mark.parametrize("body", [b"", b"[]", b"nothing", b"\xff", b'{"a":' * 2000, b'"\\ud800"'])
async def test_a_signed_body_that_is_no_object_is_400(
    payer: Payer, stripe: StripeWire, body: bytes
) -> None:
    answer = await payer.tenant.http.post(
        "/v1/gateways/stripe/events", content=body, headers=stripe.events.sign(body, "")
    )
    assert answer.status_code == 400, answer.text


@pytest.mark.parametrize(
    "document",
    [
        {"type": "payment_intent.succeeded"},
        {"id": "a\x00b", "type": "c\x00d", "data": {"object": {"id": "\ud800"}}},
        {"id": 5, "type": None, "data": []},
    ],
)
async def test_a_strange_event_is_kept_and_ignored(
    payer: Payer, stripe: StripeWire, document: object
) -> None:
    body = json.dumps(document).encode()
    answer = await payer.tenant.http.post(
        "/v1/gateways/stripe/events", content=body, headers=stripe.events.sign(body, "")
    )
    assert answer.status_code == 200, answer.text
    assert [outcome for _, _, outcome in await kept(payer)] == ["ignored"]


async def test_a_checkout_where_a_card_was_declined_stays_open_for_another_one(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    failed = {
        "id": "pi_declined",
        "status": "requires_payment_method",
        "metadata": {"payment_id": begun["payment_id"]},
        "last_payment_error": {"decline_code": "insufficient_funds", "message": "No funds."},
    }
    event_id, event = stripe.event("payment_intent.payment_failed", failed)
    await stripe.events.report(event_id, event, "after")
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 20.0)]


async def kept(payer: Payer) -> list[tuple[str, str, str]]:
    async with payer.database.system_session() as session:
        events = await session.scalars(select(GatewayEvent).order_by(GatewayEvent.received_at))
        return [(each.event_id, each.event_type, each.outcome) for each in events]


@pytest.mark.parametrize(
    ("status", "report"),
    [
        ("needs_response", Disputed("du_1", "pi_1", 5)),
        ("under_review", Disputed("du_1", "pi_1", 5)),
        ("lost", Disputed("du_1", "pi_1", 5)),
        ("won", DisputeWon("du_1")),
        ("warning_needs_response", None),
        ("prevented", None),
    ],
)
def test_a_listed_dispute_of_stripe_says_whether_the_bank_has_the_money(
    status: str, report: object
) -> None:
    dispute = {"id": "du_1", "payment_intent": "pi_1", "amount": 5, "status": status}
    assert stripe_events.dispute_report(dispute) == report


@pytest.mark.parametrize(
    ("status", "deducted", "report"),
    [
        ("open", 0, None),
        ("open", 5, Disputed("disp_1", "pay_1", 5)),
        ("lost", 5, Disputed("disp_1", "pay_1", 5)),
        ("won", 0, DisputeWon("disp_1")),
    ],
)
def test_a_listed_dispute_of_razorpay_says_whether_the_bank_has_the_money(
    status: str, deducted: int, report: object
) -> None:
    dispute = {"id": "disp_1", "payment_id": "pay_1", "status": status}
    assert razorpay_events.dispute_report(dispute | {"amount_deducted": deducted}) == report


@pytest.mark.parametrize(
    ("status", "report"),
    [
        ("pending", None),
        ("processed", Refunded("rfnd_1", "pay_1", 5)),
        ("failed", RefundReversed("rfnd_1")),
    ],
)
def test_a_listed_refund_of_razorpay_counts_once_it_has_happened(
    status: str, report: object
) -> None:
    refund = {"id": "rfnd_1", "payment_id": "pay_1", "amount": 5, "status": status}
    assert razorpay_events.refund_report(refund) == report


def test_what_razorpay_refunds_without_having_captured_it_was_never_paid() -> None:
    paid = {"id": "pay_1", "amount": 5, "currency": "INR", "status": "captured", "captured": True}
    refunded = paid | {"id": "pay_2", "status": "refunded"}
    by_itself = refunded | {"captured": False}
    report_of_order = razorpay_events.report_of_order
    assert report_of_order([refunded]) == Captured("pay_2", 5, "INR")
    assert isinstance(report_of_order([by_itself]), Declined)
    assert report_of_order([by_itself, paid]) == Captured("pay_1", 5, "INR")
