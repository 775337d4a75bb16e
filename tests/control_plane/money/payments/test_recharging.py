"""Charging a saved method while nobody is there."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import select, text

from control_plane.money.payments import recharging
from control_plane.money.payments.gateways.gateway import Declined
from control_plane.money.payments.models import AutoRecharge, Payment
from control_plane.money.payments.reconciling import LOST_AFTER, reconcile
from control_plane.money.payments.settling import settle
from tests.control_plane.money.billing.books import new_call, reserve
from tests.control_plane.money.payments.paying import Payer, gateways_of
from tests.stand_ins.payment_outcomes import ChargeKind, ChargeOutcome, Reporting
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

SOON = timedelta(minutes=2)


@pytest.fixture
async def impatient(payer: Payer) -> AsyncIterator[Payer]:
    """The same tenant, whose jobs wait half a second for a gateway."""
    settings = payer.settings.model_copy(update={"gateway_timeout_seconds": 0.5})
    async with gateways_of(settings) as gateways:
        yield replace(payer, settings=settings, gateways=gateways)


async def ready(payer: Payer, *, credit_usd: float = 1) -> Payer:
    """A tenant with a card, below the threshold of its automatic recharge."""
    await payer.saves_a_card()
    async with payer.database.tenant_session(payer.tenant_id) as session:
        await session.execute(
            text(
                "INSERT INTO payment_profiles (tenant_id, stripe_customer_id, razorpay_customer_id)"
                " VALUES (:tenant, 'cus_1', 'cust_1')"
            ),
            {"tenant": payer.tenant_id},
        )
    await payer.has_credit(credit_usd)
    await payer.turns_recharging_on(pack_usd=20, threshold_usd=5)
    return payer


async def settings_of(payer: Payer) -> AutoRecharge:
    async with payer.database.system_session() as session:
        return await session.get_one(AutoRecharge, payer.tenant_id)


async def states(payer: Payer) -> list[str]:
    async with payer.database.system_session() as session:
        found = await session.scalars(select(Payment.state).order_by(Payment.created_at))
        return list(found)


async def test_credit_below_the_threshold_is_recharged_once(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    await payer.recharges()
    await payer.recharges()
    await stripe.reported()
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert stripe.captured_minor == 2000
    assert await payer.told() == ["billing.topup_confirmed", "billing.invoice_ready"]


async def test_credit_at_the_threshold_is_not_recharged(payer: Payer, stripe: StripeWire) -> None:
    await ready(payer, credit_usd=5)
    await payer.recharges()
    assert stripe.intents == {}


async def test_a_call_that_lowers_the_credit_adds_the_job_in_its_own_transaction(
    payer: Payer,
) -> None:
    await ready(payer, credit_usd=5)
    call_id = await new_call(payer.database, payer.tenant_id)
    await reserve(payer.database, payer.tenant_id, call_id)
    async with payer.database.system_session() as session:
        jobs = await session.scalars(
            text("SELECT args ->> 'tenant_id' FROM procrastinate_jobs WHERE task_name = :name"),
            {"name": "payments.credit_fell"},
        )
        assert list(jobs) == [str(payer.tenant_id)]


@pytest.mark.parametrize("reporting", ["after", "before", "twice", "never"])
@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_a_recharge_is_posted_once_however_it_is_reported(
    payer: Payer,
    stripe: StripeWire,
    razorpay: RazorpayWire,
    gateway: str,
    reporting: Reporting,
) -> None:
    wire = stripe if gateway == "stripe" else razorpay
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    wire.charges.planned = [ChargeOutcome(reporting=reporting)]
    await payer.recharges()
    await wire.reported()
    await payer.reconciles(SOON)
    await wire.events.resend_all(backwards=True)
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert await states(payer) == ["succeeded"]


async def test_money_is_found_although_the_tenant_has_become_another_customer(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome("fails_after_charging", reporting="never")]
    await payer.recharges()

    await payer.begin(30)
    [another] = stripe.customers
    [charged] = stripe.intents.values()
    assert charged["customer"] != another

    await payer.reconciles(LOST_AFTER + SOON)
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert (await states(payer))[0] == "succeeded"


async def test_a_charge_of_a_customer_who_is_not_there_any_more_does_not_stay_in_flight(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome("fails_before_charging")]
    await payer.recharges()
    stripe.gone.add("cus_1")
    await payer.reconciles(SOON)
    assert await states(payer) == ["claimed"]
    await payer.reconciles(LOST_AFTER + SOON)
    assert await states(payer) == ["failed"]


@pytest.mark.parametrize("kind", ["fails_after_charging", "hangs_after_charging"])
@pytest.mark.parametrize("reporting", ["after", "never"])
@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_money_that_was_taken_without_an_answer_is_found(
    impatient: Payer,
    stripe: StripeWire,
    razorpay: RazorpayWire,
    gateway: str,
    kind: ChargeKind,
    reporting: Reporting,
) -> None:
    payer, wire = impatient, stripe if gateway == "stripe" else razorpay
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    wire.charges.planned = [ChargeOutcome(kind, reporting=reporting), ChargeOutcome()]
    await payer.recharges()
    await wire.reported()
    await payer.recharges()
    await payer.reconciles(SOON)
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert wire.captured_minor == (2000 if gateway == "stripe" else 160_000)


@pytest.mark.parametrize("kind", ["fails_before_charging", "hangs_before_charging"])
@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_a_charge_that_never_happened_is_made_again_when_that_is_certain(
    impatient: Payer, stripe: StripeWire, razorpay: RazorpayWire, gateway: str, kind: ChargeKind
) -> None:
    payer, wire = impatient, stripe if gateway == "stripe" else razorpay
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    wire.charges.planned = [ChargeOutcome(kind), ChargeOutcome()]
    await payer.recharges()
    await payer.reconciles(SOON)
    await payer.recharges()
    assert await states(payer) == ["claimed"]
    await payer.reconciles(LOST_AFTER + SOON)
    await payer.recharges()
    await wire.reported()
    assert await states(payer) == ["failed", "succeeded"]
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert (await settings_of(payer)).declines == 0
    assert "billing.payment_failed" not in await payer.told()


@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_a_key_that_the_gateway_does_not_take_is_no_decline(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, gateway: str
) -> None:
    wire = stripe if gateway == "stripe" else razorpay
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    replaced = {"stripe_secret_key": "sk_replaced", "razorpay_key_secret": "replaced"}
    outdated = payer.settings.model_copy(update=replaced)
    async with gateways_of(outdated) as gateways:
        await replace(payer, settings=outdated, gateways=gateways).recharges()
    assert await states(payer) == ["claimed"]
    await payer.reconciles(LOST_AFTER + SOON)
    await payer.recharges()
    await wire.reported()
    assert await states(payer) == ["failed", "succeeded"]
    assert (await settings_of(payer)).declines == 0
    assert "billing.payment_failed" not in await payer.told()


async def test_a_charge_counts_from_when_it_was_sent_however_long_other_checks_took(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    began_at = datetime.now(UTC)
    async with payer.database.system_session() as session:
        assert await recharging.claim(session, payer.tenant_id, began_at) is not None
    sent_at = began_at + LOST_AFTER * 2
    times = iter([began_at + SOON, sent_at])
    await reconcile(payer.database, payer.settings, payer.gateways, lambda: next(times))
    async with payer.database.system_session() as session:
        payment = (await session.scalars(select(Payment))).one()
    assert payment.sent_at == sent_at


@pytest.mark.parametrize("kind", ["declines", "needs_authentication", "expired_card"])
@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_three_declines_in_a_row_switch_it_off_and_each_is_told(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, gateway: str, kind: ChargeKind
) -> None:
    wire = stripe if gateway == "stripe" else razorpay
    tries = stripe.intents if gateway == "stripe" else razorpay.payments
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    wire.charges.planned = [ChargeOutcome(kind)]
    await payer.recharges()
    await payer.recharges()
    await wire.reported()
    assert len(tries) == 1, "the second one waits"
    await payer.recharges(timedelta(minutes=61))
    await wire.reported()
    await payer.recharges(timedelta(hours=11))
    assert len(tries) == 2, "the third one waits longer"
    await payer.recharges(timedelta(hours=14))
    await wire.reported()
    kept = await settings_of(payer)
    assert (kept.enabled, kept.declines) == (False, 3)
    assert await payer.told() == ["billing.payment_failed"] * 3
    await payer.recharges(timedelta(days=9))
    assert len(tries) == 3
    assert await payer.balance_usd() == 1


@pytest.mark.parametrize("gateway", ["stripe", "razorpay"])
async def test_a_slow_answer_is_waited_for(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, gateway: str
) -> None:
    wire = stripe if gateway == "stripe" else razorpay
    await ready(payer)
    if gateway == "razorpay":
        await payer.saves_a_card("razorpay", "token_1")
    wire.charges.planned = [ChargeOutcome(delay_seconds=0.7)]
    await payer.recharges()
    await wire.reported()
    assert await states(payer) == ["succeeded"]
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


@pytest.mark.parametrize("reporting", ["before", "twice", "never"])
async def test_a_decline_of_razorpay_counts_once_however_it_is_reported(
    payer: Payer, razorpay: RazorpayWire, reporting: Reporting
) -> None:
    await ready(payer)
    await payer.saves_a_card("razorpay", "token_1")
    razorpay.charges.planned = [ChargeOutcome("declines", reporting=reporting)]
    await payer.recharges()
    await razorpay.reported()
    await payer.reconciles(SOON)
    await razorpay.events.resend_all()
    assert (await settings_of(payer)).declines == 1
    assert await payer.told() == ["billing.payment_failed"]


async def test_a_success_forgets_earlier_declines(payer: Payer, stripe: StripeWire) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome("declines"), ChargeOutcome()]
    await payer.recharges()
    await payer.recharges(timedelta(hours=2))
    await stripe.reported()
    kept = await settings_of(payer)
    assert (kept.declines, kept.retry_at, kept.enabled) == (0, None, True)
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


async def test_nothing_is_charged_after_the_tenant_turned_it_off(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    await payer.tenant.request("PUT", "/v1/billing/auto-recharge", json={"enabled": False})
    await payer.recharges()
    assert stripe.intents == {}


async def test_a_recharge_that_was_claimed_before_it_was_turned_off_is_not_sent(
    payer: Payer, stripe: StripeWire
) -> None:
    await ready(payer)
    async with payer.database.system_session() as session:
        assert await recharging.claim(session, payer.tenant_id, datetime.now(UTC))
    await payer.tenant.request("PUT", "/v1/billing/auto-recharge", json={"enabled": False})
    await payer.recharges()
    await payer.reconciles(SOON)
    assert stripe.intents == {}
    assert await states(payer) == ["failed"]
    assert await payer.told() == []


async def test_recharges_at_once_charge_once(payer: Payer, stripe: StripeWire) -> None:
    await ready(payer)
    stripe.charges.planned = [ChargeOutcome(delay_seconds=0.2)]
    await asyncio.gather(*(payer.recharges() for _ in range(8)))
    await stripe.reported()
    assert stripe.most_charging_at_once == 1
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]


async def test_a_charge_above_what_the_mandate_allows_is_declined_here(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    await ready(payer)
    await payer.saves_a_card("razorpay", "token_1")
    async with payer.database.system_session() as session:
        await session.execute(
            text("UPDATE payment_methods SET max_amount_minor = 100 WHERE gateway = 'razorpay'")
        )
    await payer.recharges()
    assert razorpay.orders == {}
    assert await payer.told() == ["billing.payment_failed"]


@pytest.mark.parametrize(
    ("code", "advice"),
    [
        ("above_mandate", "Your mandate does not allow so much"),
        ("gateway_not_configured", "Your payment method cannot be charged here any more"),
        ("card_declined", "Check your payment method."),
    ],
)
async def test_a_decline_is_told_with_what_can_be_done_about_it(
    payer: Payer, code: str, advice: str
) -> None:
    await ready(payer)
    async with payer.database.system_session() as session:
        payment_id = await recharging.claim(session, payer.tenant_id, datetime.now(UTC))
        assert payment_id is not None
        report = Declined(code, "As the gateway says it")
        await settle(session, payer.settings, payment_id, report, datetime.now(UTC))
    async with payer.database.system_session() as session:
        told = await session.scalar(
            text("SELECT data ->> 'message' FROM outbox_events WHERE event = :event"),
            {"event": "billing.payment_failed"},
        )
    assert told is not None
    assert told.startswith(f"Your automatic recharge of $20.00 was declined. {advice}")
