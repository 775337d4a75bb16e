"""Refunds and disputes that nobody reported are found at the gateway, by its real SDK."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import func, select

from control_plane.money.payments.gateway_events import repository as events
from control_plane.money.payments.gateways import stripe_gateway
from control_plane.money.payments.models import GatewayEvent
from control_plane.money.payments.tasks import EVENTS_KEPT
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.paying import Payer, gateways_of
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

Wire = StripeWire | RazorpayWire


@pytest.fixture(params=["stripe", "razorpay"])
def wire(request: pytest.FixtureRequest, stripe: StripeWire, razorpay: RazorpayWire) -> Wire:
    return stripe if request.param == "stripe" else razorpay


async def paid(payer: Payer, wire: Wire) -> str:
    """A top-up of $20; the gateway's id of it. From then on it reports nothing."""
    if isinstance(wire, StripeWire):
        begun = await payer.begin(20, billing_country="DE")
        await wire.customer_pays(begun["stripe"]["session_id"])
        [gateway_id] = wire.intents
    else:
        begun = await payer.begin(20, billing_country="IN")
        await wire.customer_pays(begun["razorpay"]["order_id"])
        [gateway_id] = wire.payments
    wire.reporting = "never"
    return gateway_id


async def test_refunds_that_were_not_reported_are_posted_once(payer: Payer, wire: Wire) -> None:
    gateway_id = await paid(payer, wire)
    whole = wire.captured_minor
    await wire.refund(gateway_id, whole // 4)
    await wire.refund(gateway_id, whole // 2)
    for _ in range(2):
        await payer.reconciles_reversals()
    await wire.events.resend_all(backwards=True)
    assert sorted(await payer.entries()) == [("refund", -10.0), ("refund", -5.0), ("topup", 20.0)]
    await assert_books_balance(payer.database)


async def test_a_refund_that_failed_unreported_gives_the_credit_back(
    payer: Payer, wire: Wire
) -> None:
    gateway_id = await paid(payer, wire)
    refund = await wire.refund(gateway_id, wire.captured_minor)
    await payer.reconciles_reversals()
    assert await payer.balance_usd() == 0
    await wire.fail_refund(refund)
    for _ in range(2):
        await payer.reconciles_reversals()
    assert await payer.balance_usd() == 20


async def test_a_dispute_and_its_end_are_found(payer: Payer, wire: Wire) -> None:
    dispute = await wire.dispute(await paid(payer, wire))
    await payer.reconciles_reversals()
    assert await payer.balance_usd() == 0
    await wire.win(dispute)
    for _ in range(2):
        await payer.reconciles_reversals()
    await wire.events.resend_all()
    assert await payer.entries() == [("topup", 20.0), ("dispute", -20.0), ("dispute", 20.0)]


@pytest.mark.parametrize("is_dispute_known", [True, False])
async def test_what_a_bank_keeps_of_a_lost_dispute_is_found(
    payer: Payer, stripe: StripeWire, is_dispute_known: bool
) -> None:
    intent_id = await paid(payer, stripe)
    await stripe.refund(intent_id, 500)
    dispute = await stripe.dispute(intent_id)
    if is_dispute_known:
        await payer.reconciles_reversals()
        assert await payer.balance_usd() == -5
    await stripe.lose(dispute, returned=500)
    for _ in range(2):
        await payer.reconciles_reversals()
    await stripe.events.resend_all(backwards=True)
    assert await payer.balance_usd() == 0


async def test_more_refunds_than_a_page_has_are_all_found(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    gateway_id = await paid(payer, razorpay)
    for _ in range(101):
        await razorpay.refund(gateway_id, 80)
    await payer.reconciles_reversals()
    assert await payer.balance_usd() == pytest.approx(20 - 1.01)


async def test_each_page_has_the_time_of_a_request(
    payer: Payer, stripe: StripeWire, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A list of many pages may take longer than one request."""
    monkeypatch.setattr(stripe_gateway, "_MOST_LISTED", 2)
    gateway_id = await paid(payer, stripe)
    for _ in range(23):
        await stripe.refund(gateway_id, 10)
    stripe.listing_seconds = 0.25
    hurried = payer.settings.model_copy(update={"gateway_timeout_seconds": 2.0})
    async with gateways_of(hurried) as gateways:
        await replace(payer, gateways=gateways).reconciles_reversals()
    assert await payer.balance_usd() == pytest.approx(20 - 2.3)


async def test_a_gateway_that_does_not_answer_does_not_stop_the_other_one(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire
) -> None:
    await razorpay.refund(await paid(payer, razorpay), 160_000)
    stripe.fails_everything = True
    await payer.reconciles_reversals()
    assert await payer.balance_usd() == 0


async def test_a_refund_of_another_shops_payment_is_left_alone(payer: Payer, wire: Wire) -> None:
    await wire.refund("pay_of_another_shop", 100)
    await payer.reconciles_reversals()
    assert await payer.entries() == []


async def test_old_events_are_deleted_and_may_come_again(payer: Payer, stripe: StripeWire) -> None:
    await paid(payer, stripe)
    now = datetime.now(UTC)
    async with payer.database.system_session() as session:
        assert await events.delete_old(session, now - EVENTS_KEPT, 100) == 0
        assert await events.delete_old(session, now, 2) == 2
        assert await events.delete_old(session, now, 100) == 1
        assert await session.scalar(select(func.count()).select_from(GatewayEvent)) == 0
    await stripe.events.resend_all()
    assert await payer.entries() == [("topup", 20.0)], "applied again, it posts nothing twice"
