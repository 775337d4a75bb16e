"""Refunds and disputes: money that goes back."""

from __future__ import annotations

import pytest

from contracts.commands import EndCall, ExtendFunds
from contracts.end_reasons import EndReason
from contracts.money import charge_micros, usd
from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.money.billing import service as billing
from tests.control_plane.conversation import catch_up, running_call
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.linked import consumer, redis, worker
from tests.control_plane.money.billing.books import account_of, assert_books_balance
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

__all__ = ["consumer", "redis", "worker"]


async def paid(payer: Payer, stripe: StripeWire) -> str:
    """A top-up of $20; Stripe's id of it."""
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    intent_id: str = stripe.sessions[begun["stripe"]["session_id"]]["payment_intent"]
    return intent_id


async def test_parts_of_a_refund_take_their_parts_of_the_credit_and_have_credit_notes(
    payer: Payer, stripe: StripeWire
) -> None:
    intent_id = await paid(payer, stripe)
    for cents in (333, 667, 1000):
        await stripe.refund(intent_id, cents)
    await stripe.events.resend_all()
    assert await payer.entries() == [
        ("topup", 20.0),
        ("refund", -3.33),
        ("refund", -6.67),
        ("refund", -10.0),
    ]
    invoices = (await payer.tenant.get("/v1/billing/invoices")).json()["invoices"]
    assert [(each["kind"], each["total_minor"]) for each in invoices] == [
        ("credit_note", 1000),
        ("credit_note", 667),
        ("credit_note", 333),
        ("topup", 2000),
    ]
    await assert_books_balance(payer.database)


async def test_a_refund_of_spent_credit_takes_the_balance_below_zero_and_calls_stop(
    payer: Payer, stripe: StripeWire
) -> None:
    intent_id = await paid(payer, stripe)
    agent_id = await payer.tenant.published_agent()
    async with payer.database.system_session() as session:
        await billing.adjust(
            session, payer.tenant_id, "debit", -15_000_000, "Spent", reference="x", details={}
        )
    await stripe.refund(intent_id, 2000)
    assert await payer.balance_usd() == -15
    answer = await payer.tenant.post(
        "/v1/calls",
        {"agent_id": str(agent_id), "participants": [{"transport": "webrtc", "identity": "ada"}]},
    )
    assert (answer.status_code, answer.json()["code"]) == (402, "insufficient_credits")


@pytest.mark.parametrize("what", ["refund", "dispute"])
async def test_a_running_call_is_not_extended_when_what_went_back_leaves_a_debt(
    payer: Payer, stripe: StripeWire, worker: FakeWorker, consumer: EventConsumer, what: str
) -> None:
    intent_id = await paid(payer, stripe)
    async with payer.database.system_session() as session:
        await billing.adjust(
            session, payer.tenant_id, "debit", -15_000_000, "Spent", reference="x", details={}
        )
    plan = await running_call(payer.tenant, worker, consumer)
    await worker.meter(plan, 5_000)
    await catch_up(consumer)
    assert (await worker.told_of_funds())[-1] == ExtendFunds(funded_until_ms=90_000)
    paid_for = charge_micros(90, plan.rate_micros_per_minute)

    await (stripe.refund(intent_id, 2000) if what == "refund" else stripe.dispute(intent_id))
    assert await payer.balance_usd() == -15
    await worker.meter(plan, 35_000)
    await catch_up(consumer)
    assert (await worker.told_of_funds())[-1] == ExtendFunds(
        funded_until_ms=90_000, balance_is_spent=True
    )
    assert (await account_of(payer.database, payer.tenant_id)).held_micros == paid_for

    await worker.meter(plan, 87_000)
    await catch_up(consumer)
    [command] = await worker.commands()
    assert isinstance(command.body, EndCall)
    assert command.body.end_reason is EndReason.INSUFFICIENT_FUNDS
    await worker.end(plan, 90_000, EndReason.INSUFFICIENT_FUNDS)
    await catch_up(consumer)
    assert await payer.balance_usd() == pytest.approx(-15 - usd(paid_for))
    await assert_books_balance(payer.database)


async def test_a_refund_that_is_reported_before_its_payment_waits_for_it(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    deliver, stripe.events.deliver = stripe.events.deliver, None
    await stripe.customer_pays(begun["stripe"]["session_id"])
    intent_id = stripe.sessions[begun["stripe"]["session_id"]]["payment_intent"]
    await stripe.refund(intent_id, 500)
    stripe.events.deliver = deliver
    await stripe.events.resend_all(backwards=True)
    assert sorted(await payer.entries()) == [("refund", -5.0), ("topup", 20.0)]


async def test_a_refund_that_fails_gives_the_credit_back_in_any_order(
    payer: Payer, stripe: StripeWire
) -> None:
    intent_id = await paid(payer, stripe)
    await stripe.fail_refund(await stripe.refund(intent_id, 500))
    assert await payer.balance_usd() == 20
    deliver, stripe.events.deliver = stripe.events.deliver, None
    await stripe.fail_refund(await stripe.refund(intent_id, 700))
    stripe.events.deliver = deliver
    await stripe.events.resend_all(backwards=True)
    assert await payer.balance_usd() == 20
    await assert_books_balance(payer.database)


async def test_a_refund_in_place_of_one_that_failed_needs_no_second_credit_note(
    payer: Payer, stripe: StripeWire
) -> None:
    intent_id = await paid(payer, stripe)
    await stripe.fail_refund(await stripe.refund(intent_id, 500))
    await stripe.refund(intent_id, 500)
    await stripe.refund(intent_id, 300)
    invoices = (await payer.tenant.get("/v1/billing/invoices")).json()["invoices"]
    assert [(each["kind"], each["total_minor"]) for each in invoices] == [
        ("credit_note", 300),
        ("credit_note", 500),
        ("topup", 2000),
    ]
    assert await payer.balance_usd() == 12


async def test_a_dispute_takes_the_credit_and_one_that_is_won_gives_it_back(
    payer: Payer, stripe: StripeWire
) -> None:
    dispute = await stripe.dispute(await paid(payer, stripe))
    assert await payer.entries() == [("topup", 20.0), ("dispute", -20.0)]
    await stripe.win(dispute)
    await stripe.events.resend_all(backwards=True)
    assert await payer.entries() == [("topup", 20.0), ("dispute", -20.0), ("dispute", 20.0)]


@pytest.mark.parametrize("what", ["refund", "dispute"])
async def test_what_went_back_is_not_charged_again_by_an_automatic_recharge(
    payer: Payer, stripe: StripeWire, what: str
) -> None:
    await payer.saves_a_card()
    intent_id = await paid(payer, stripe)
    await payer.turns_recharging_on(pack_usd=20, threshold_usd=5)
    await stripe.refund(intent_id, 500)
    assert await is_recharging_on(payer), "the rest is above the threshold"
    await (stripe.refund(intent_id, 1500) if what == "refund" else stripe.dispute(intent_id))
    await payer.recharges()
    assert [kind for kind, _ in await payer.entries()] == ["topup", "refund", what]
    assert not await is_recharging_on(payer)
    assert (await payer.told())[-1] == "billing.payment_failed"


async def is_recharging_on(payer: Payer) -> bool:
    answer = await payer.tenant.get("/v1/billing/auto-recharge")
    return bool(answer.json()["enabled"])


async def test_a_lost_dispute_of_a_payment_that_was_partly_refunded_takes_the_rest(
    payer: Payer, stripe: StripeWire
) -> None:
    """Stripe takes the whole payment first, and then returns what was refunded."""
    intent_id = await paid(payer, stripe)
    await stripe.refund(intent_id, 500)
    await stripe.lose(await stripe.dispute(intent_id), returned=500)
    await stripe.events.resend_all(backwards=True)
    assert await payer.entries() == [
        ("topup", 20.0),
        ("refund", -5.0),
        ("dispute", -20.0),
        ("dispute", -15.0),
        ("dispute", 20.0),
    ]
    await assert_books_balance(payer.database)


@pytest.mark.parametrize("what", ["refund", "dispute"])
async def test_razorpay_reports_refunds_and_disputes_too(
    payer: Payer, razorpay: RazorpayWire, what: str
) -> None:
    begun = await payer.begin(20, billing_country="IN")
    payment = await razorpay.customer_pays(begun["razorpay"]["order_id"])
    if what == "refund":
        await razorpay.refund(payment["id"], payment["amount"])
    else:
        await razorpay.dispute(payment["id"])
    assert await payer.entries() == [("topup", 20.0), (what, -20.0)]
