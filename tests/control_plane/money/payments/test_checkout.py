"""Topping up at a gateway's own pages."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from sqlalchemy import func, select

from control_plane.money.payments import repository
from control_plane.money.payments.countries import COUNTRIES
from control_plane.money.payments.models import Payment
from control_plane.money.payments.reconciling import CHECKOUT_ENDS_AFTER
from tests.control_plane.conftest import OPERATOR
from tests.control_plane.money.payments.paying import USD_TO_INR, Payer, gateways_of
from tests.stand_ins.payment_outcomes import Reporting
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire


async def test_a_paid_checkout_is_credit_a_method_an_invoice_and_two_notifications(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20, save_card=True)
    assert begun["gateway"] == "stripe"
    assert begun["checkout_url"].startswith(stripe.base_url)
    assert await payer.balance_usd() == 0
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 20.0)]
    [method] = (await payer.tenant.get("/v1/billing/payment-methods")).json()["payment_methods"]
    assert (method["card_brand"], method["card_last4"], method["is_default"]) == (
        "visa",
        "4242",
        True,
    )
    [invoice] = (await payer.tenant.get("/v1/billing/invoices")).json()["invoices"]
    assert invoice["payment_event_id"] == begun["payment_id"]
    assert await payer.told() == ["billing.topup_confirmed", "billing.invoice_ready"]


async def test_a_card_is_kept_only_if_the_customer_asked_for_it(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert (await payer.tenant.get("/v1/billing/payment-methods")).json() == {"payment_methods": []}


async def test_an_indian_tenant_pays_rupees_with_an_order(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    begun = await payer.begin(20, billing_country="IN")
    assert begun["gateway"] == "razorpay"
    order = begun["razorpay"]
    assert (order["amount"], order["currency"]) == (20 * USD_TO_INR * 100, "INR")
    assert order["key_id"] == razorpay.key_id
    await razorpay.customer_pays(order["order_id"])
    assert await payer.entries() == [("topup", 20.0)]
    [invoice] = (await payer.tenant.get("/v1/billing/invoices")).json()["invoices"]
    assert (invoice["currency"], invoice["total_minor"]) == ("INR", 20 * USD_TO_INR * 100)


async def test_a_card_that_razorpay_keeps_without_a_mandate_is_not_charged_again(
    payer: Payer, razorpay: RazorpayWire
) -> None:
    begun = await payer.begin(20, billing_country="IN", save_card=True)
    razorpay.reporting = "never"
    payment = await razorpay.customer_pays(begun["razorpay"]["order_id"])
    payment["token_id"] = "token_of_the_checkout"
    await payer.reconciles(timedelta(minutes=6))
    assert await payer.entries() == [("topup", 20.0)]
    assert (await payer.tenant.get("/v1/billing/payment-methods")).json() == {"payment_methods": []}
    assert not (await payer.tenant.get("/v1/billing/auto-recharge")).json()["has_mandate"]


@pytest.mark.parametrize("reporting", ["after", "before", "twice", "never"])
async def test_every_capture_is_posted_once_however_it_is_reported(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, reporting: Reporting
) -> None:
    stripe.reporting = razorpay.reporting = reporting
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    begun = await payer.begin(30, billing_country="IN")
    await razorpay.customer_pays(begun["razorpay"]["order_id"])
    await payer.reconciles(timedelta(minutes=6))
    assert sorted(await payer.entries()) == [("topup", 20.0), ("topup", 30.0)]
    await stripe.events.resend_all(backwards=True)
    await razorpay.events.resend_all(backwards=True)
    await payer.reconciles(timedelta(minutes=12))
    assert len(await payer.entries()) == 2


async def test_an_event_that_comes_before_the_answer_counts(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    session_id = begun["stripe"]["session_id"]
    async with payer.database.system_session() as session:
        payment = await session.get_one(Payment, begun["payment_id"])
        payment.state, payment.gateway_order_id = "claimed", None
    await stripe.customer_pays(session_id)
    assert await payer.entries() == [("topup", 20.0)]


async def test_a_pack_gives_its_bonus_and_another_amount_gives_none(
    payer: Payer, stripe: StripeWire
) -> None:
    pack = {"display_name": "$50", "price_cents": 5000, "bonus_cents": 500}
    answer = await payer.tenant.http.post("/v1/operator/topup-packs", headers=OPERATOR, json=pack)
    assert answer.status_code == 201, answer.text
    [shown] = (await payer.tenant.get("/v1/billing/topup-packs")).json()["packs"]
    assert shown == pack | {"id": answer.json()["id"], "sort_order": 0}
    for amount in (50, 49.99):
        begun = await payer.begin(amount)
        await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 50.0), ("bonus", 5.0), ("topup", 49.99)]


async def test_a_request_that_is_sent_again_begins_nothing_new(
    payer: Payer, stripe: StripeWire
) -> None:
    headers = payer.tenant.headers | {"Idempotency-Key": str(uuid4())}
    answers = [
        await payer.tenant.http.post(
            "/v1/billing/checkout/start", headers=headers, json={"pack_usd": 20}
        )
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert answers[1].headers["Idempotency-Replayed"] == "true"
    assert len(stripe.sessions) == 1


async def test_a_checkout_that_nobody_pays_expires_and_a_later_payment_still_counts(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    await payer.reconciles(CHECKOUT_ENDS_AFTER + timedelta(minutes=1))
    async with payer.database.system_session() as session:
        payment = await session.get_one(Payment, begun["payment_id"])
        assert payment.state == "expired"
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 20.0)]


@pytest.mark.parametrize("reporting", ["after", "twice", "never"])
async def test_a_checkout_that_stripe_ends_is_expired_however_that_is_reported(
    payer: Payer, stripe: StripeWire, reporting: Reporting
) -> None:
    begun = await payer.begin(20)
    stripe.reporting = reporting
    await stripe.expire(begun["stripe"]["session_id"])
    if reporting == "never":
        await payer.reconciles(timedelta(minutes=6))
    async with payer.database.system_session() as session:
        payment = await session.get_one(Payment, begun["payment_id"])
        assert (payment.state, payment.failure_code) == ("expired", None)
    assert await payer.entries() == []
    assert await payer.told() == []


async def test_an_expiry_that_is_reported_after_the_payment_takes_nothing_back(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    session_id = begun["stripe"]["session_id"]
    as_it_was = dict(stripe.sessions[session_id])
    await stripe.customer_pays(session_id)
    event_id, event = stripe.event("checkout.session.expired", as_it_was | {"status": "expired"})
    await stripe.events.report(event_id, event, "after")
    async with payer.database.system_session() as session:
        payment = await session.get_one(Payment, begun["payment_id"])
        assert payment.state == "succeeded"
    assert await payer.entries() == [("topup", 20.0)]


async def test_a_checkout_of_a_gateway_that_was_taken_away_expires(payer: Payer) -> None:
    begun = await payer.begin(20)
    without = payer.settings.model_copy(update={"stripe_secret_key": None})
    async with gateways_of(without) as gateways:
        later = replace(payer, settings=without, gateways=gateways)
        for passed, state in (
            (CHECKOUT_ENDS_AFTER / 2, "open"),
            (CHECKOUT_ENDS_AFTER + timedelta(minutes=1), "expired"),
        ):
            await later.reconciles(passed)
            async with payer.database.system_session() as session:
                payment = await session.get_one(Payment, begun["payment_id"])
                assert payment.state == state


@pytest.mark.parametrize("reporting", ["after", "never"])
async def test_a_checkout_where_the_only_try_was_declined_expires_too(
    payer: Payer, razorpay: RazorpayWire, reporting: Reporting
) -> None:
    """Razorpay's orders never end by themselves."""
    razorpay.reporting = reporting
    begun = await payer.begin(20, billing_country="IN")
    await razorpay.customer_is_declined(begun["razorpay"]["order_id"])
    for passed, state in (
        (CHECKOUT_ENDS_AFTER / 2, "open"),
        (CHECKOUT_ENDS_AFTER + timedelta(minutes=1), "expired"),
    ):
        await payer.reconciles(passed)
        async with payer.database.system_session() as session:
            payment = await session.get_one(Payment, begun["payment_id"])
            assert (payment.state, payment.failure_code) == (state, "payment_failed")
    razorpay.reporting = "after"
    await razorpay.customer_pays(begun["razorpay"]["order_id"])
    assert await payer.entries() == [("topup", 20.0)], "a later payment still counts"


@pytest.mark.parametrize("is_known", [True, False])
async def test_a_checkout_whose_debit_failed_or_that_the_gateway_has_forgotten_expires(
    payer: Payer, stripe: StripeWire, is_known: bool
) -> None:
    """Stripe does not know the checkouts of test mode in live mode."""
    begun = await payer.begin(20)
    hosted = stripe.sessions.pop(begun["stripe"]["session_id"])
    if is_known:
        failed = {"status": "requires_payment_method", "last_payment_error": {"code": "no_funds"}}
        stripe.intents["pi_1"] = {"id": "pi_1", **failed}
        stripe.sessions[hosted["id"]] = hosted | {"status": "complete", "payment_intent": "pi_1"}
    for passed, state in (
        (CHECKOUT_ENDS_AFTER / 2, "open"),
        (CHECKOUT_ENDS_AFTER + timedelta(minutes=1), "expired"),
    ):
        await payer.reconciles(passed)
        async with payer.database.system_session() as session:
            payment = await session.get_one(Payment, begun["payment_id"])
            assert (payment.state, payment.failure_code) == (
                state,
                "no_funds" if is_known else None,
            )


@pytest.mark.parametrize("amount", [0, -5, 0.5, 10_001, 20.001, "much"])
async def test_an_amount_out_of_range_is_400(payer: Payer, amount: object) -> None:
    answer = await payer.tenant.post("/v1/billing/checkout/start", {"pack_usd": amount})
    assert answer.status_code == 400, answer.text
    assert "pack_usd" in answer.json()["errors"][0]["field"]


async def test_a_gateway_that_fails_is_503_and_nothing_is_kept_open(
    payer: Payer, stripe: StripeWire
) -> None:
    stripe.fails_everything = True
    answer = await payer.tenant.post("/v1/billing/checkout/start", {"pack_usd": 20})
    assert (answer.status_code, answer.json()["code"]) == (503, "gateway_unavailable")
    assert answer.headers["Retry-After"]
    stripe.fails_everything = False
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 20.0)]


async def test_money_that_a_gateway_captures_twice_for_one_order_is_posted_twice(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20)
    for _ in range(2):
        await stripe.customer_pays(begun["stripe"]["session_id"])
    assert await payer.entries() == [("topup", 20.0)] * 2
    async with payer.database.system_session() as session:
        assert await session.scalar(select(func.count()).select_from(Payment)) == 2


@pytest.mark.parametrize("country", ["UK", "EU", "XX", "ZZ", "DEU"])
async def test_a_country_that_iso_3166_does_not_know_is_400(payer: Payer, country: str) -> None:
    wanted = {"pack_usd": 20, "billing_country": country}
    answer = await payer.tenant.post("/v1/billing/checkout/start", wanted)
    assert answer.status_code == 400, answer.text
    [error] = answer.json()["errors"]
    assert error["field"] == "billing_country"
    assert country != "UK" or "GB" in error["message"]


async def test_a_checkout_goes_on_with_a_country_that_was_kept_before_codes_were_checked(
    payer: Payer,
) -> None:
    async with payer.database.tenant_session(payer.tenant_id) as session:
        await repository.note_in_profile(session, payer.tenant_id, billing_country="UK")
    assert (await payer.begin(20))["gateway"] == "stripe"
    assert (await payer.begin(20, billing_country="gb"))["gateway"] == "stripe"


def test_the_countries_are_those_of_iso_3166() -> None:
    assert len(COUNTRIES) == 249
    assert {"DE", "IN", "GB", "US", "GG", "AX", "UM", "AQ"} <= COUNTRIES
    assert COUNTRIES.isdisjoint({"UK", "EU", "EL", "XK"})
