"""Captured payments that nobody reported are found at the gateway, by its real SDK, those that are
closed here, too."""

from __future__ import annotations

from datetime import timedelta

import pytest

from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.money.payments.models import Payment
from control_plane.money.payments.reconciling import CHECKOUT_ENDS_AFTER
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

Wire = StripeWire | RazorpayWire
LATE = CHECKOUT_ENDS_AFTER + timedelta(minutes=1)


@pytest.fixture(params=["stripe", "razorpay"])
def wire(request: pytest.FixtureRequest, stripe: StripeWire, razorpay: RazorpayWire) -> Wire:
    """It reports nothing."""
    wire = stripe if request.param == "stripe" else razorpay
    wire.reporting = "never"
    return wire


async def begun(payer: Payer, wire: Wire) -> tuple[str, str]:
    """A checkout of $20: our payment, and the gateway's session or order."""
    if isinstance(wire, StripeWire):
        answer = await payer.begin(20, billing_country="DE")
        return answer["payment_id"], answer["stripe"]["session_id"]
    answer = await payer.begin(20, billing_country="IN")
    return answer["payment_id"], answer["razorpay"]["order_id"]


async def state_of(payer: Payer, payment_id: str) -> str:
    async with payer.database.system_session() as session:
        return (await session.get_one(Payment, payment_id)).state


async def test_what_is_paid_after_we_closed_it_and_is_not_reported_is_posted_once(
    payer: Payer, wire: Wire
) -> None:
    payment_id, order_id = await begun(payer, wire)
    await payer.reconciles(LATE)
    assert await state_of(payer, payment_id) == "expired"
    await wire.customer_pays(order_id)
    await payer.reconciles(LATE + timedelta(days=1))
    assert await payer.entries() == [], "closed payments are not asked about again"
    for _ in range(2):
        await payer.posts_missed_captures(LATE + timedelta(days=1))
    await wire.events.resend_all(backwards=True)
    assert await payer.entries() == [("topup", 20.0)]
    assert await state_of(payer, payment_id) == "succeeded"
    assert await payer.told() == ["billing.topup_confirmed", "billing.invoice_ready"]
    assert await audit_payments(payer.database) == []
    await assert_books_balance(payer.database)


async def test_a_late_payment_that_was_reported_is_not_posted_again(
    payer: Payer, wire: Wire
) -> None:
    _, order_id = await begun(payer, wire)
    await payer.reconciles(LATE)
    wire.reporting = "after"
    await wire.customer_pays(order_id)
    await payer.posts_missed_captures(LATE)
    assert await payer.entries() == [("topup", 20.0)]


async def test_a_second_payment_of_one_checkout_is_found_too(
    payer: Payer, stripe: StripeWire
) -> None:
    stripe.reporting = "never"
    _, session_id = await begun(payer, stripe)
    for _ in range(2):
        await stripe.customer_pays(session_id)
    for _ in range(2):
        await payer.posts_missed_captures()
    assert await payer.entries() == [("topup", 20.0)] * 2


async def test_a_refund_of_a_late_payment_is_posted_after_it(payer: Payer, wire: Wire) -> None:
    _, order_id = await begun(payer, wire)
    await payer.reconciles(LATE)
    await wire.customer_pays(order_id)
    [gateway_id] = wire.intents if isinstance(wire, StripeWire) else wire.payments
    await wire.refund(gateway_id, wire.captured_minor // 4)
    await payer.posts_missed_captures(LATE)
    await payer.reconciles_reversals()
    assert await payer.entries() == [("topup", 20.0), ("refund", -5.0)]


async def test_a_debit_that_the_bank_has_not_paid_yet_is_not_posted(
    payer: Payer, stripe: StripeWire
) -> None:
    """Stripe says of its charge that it is captured."""
    stripe.reporting = "never"
    _, session_id = await begun(payer, stripe)
    await payer.reconciles(LATE)
    await stripe.customer_pays(session_id)
    [intent] = stripe.intents.values()
    intent["latest_charge"]["status"] = "pending"
    await payer.posts_missed_captures(LATE)
    assert await payer.entries() == []
    intent["latest_charge"]["status"] = "succeeded"
    await payer.posts_missed_captures(LATE)
    assert await payer.entries() == [("topup", 20.0)]


async def test_a_payment_that_was_declined_is_not_posted(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    payment_id, order_id = await begun(payer, razorpay)
    await razorpay.customer_is_declined(order_id)
    await payer.posts_missed_captures()
    assert await payer.entries() == []
    assert await state_of(payer, payment_id) == "open"


async def test_payments_of_another_shop_are_left_alone(payer: Payer, wire: Wire) -> None:
    _, order_id = await begun(payer, wire)
    await wire.customer_pays(order_id)
    if isinstance(wire, StripeWire):
        [intent] = wire.intents.values()
        intent["latest_charge"] |= {"payment_intent": "pi_of_another_shop", "metadata": {}}
    else:
        [payment] = wire.payments.values()
        payment |= {"order_id": "order_of_another_shop", "notes": []}
    await payer.posts_missed_captures()
    assert await payer.entries() == []


async def test_a_gateway_that_does_not_answer_does_not_stop_the_other_one(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire
) -> None:
    razorpay.reporting = "never"
    _, order_id = await begun(payer, razorpay)
    await razorpay.customer_pays(order_id)
    stripe.fails_everything = True
    await payer.posts_missed_captures()
    assert await payer.entries() == [("topup", 20.0)]
