"""A process that dies between any two steps of a checkout or a recharge, at either gateway. What
happens to any sequence of them is in ``tests/control_plane/money/any_sequence``."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID, uuid4

import pytest

from control_plane.money.payments import checkout, recharging
from control_plane.money.payments.checkout import TopUp
from control_plane.money.payments.reconciling import LOST_AFTER
from control_plane.platform.database import Database
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.mortal_database import Crash, MortalDatabase
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

PLACES = range(1, 11)
"""Before and after the commit of each transaction."""
Gateways = pytest.mark.parametrize("country", ["US", "IN"])


async def pays(payer: Payer, database: Database, payment_id: UUID, country: str) -> None:
    with suppress(Crash):
        await checkout.begin_checkout(
            database,
            payer.settings,
            payer.gateways,
            payer.tenant_id,
            payment_id,
            TopUp(Decimal(20), billing_country=country),
            datetime.now(UTC),
        )


@Gateways
@pytest.mark.parametrize("dies_at", PLACES)
async def test_a_checkout_that_died_is_finished_by_the_next_attempt_with_its_key(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, country: str, dies_at: int
) -> None:
    payment_id = uuid4()
    await pays(payer, MortalDatabase(payer.database, dies_at), payment_id, country)
    await pays(payer, payer.database, payment_id, country)
    if country == "US":
        [session_id] = stripe.sessions
        await stripe.customer_pays(session_id)
    else:
        [order_id] = razorpay.orders
        await razorpay.customer_pays(order_id)
    assert await payer.entries() == [("topup", 20.0)]
    await assert_books_balance(payer.database)


@Gateways
@pytest.mark.parametrize("dies_at", PLACES)
async def test_a_recharge_that_died_charges_once_and_is_posted(
    payer: Payer, stripe: StripeWire, razorpay: RazorpayWire, country: str, dies_at: int
) -> None:
    await pays(payer, payer.database, uuid4(), country)
    if country == "US":
        await payer.saves_a_card()
    else:
        await payer.saves_a_card("razorpay", "token_1")
    await payer.has_credit(1)
    await payer.turns_recharging_on()
    with suppress(Crash):
        await recharging.recharge(
            MortalDatabase(payer.database, dies_at),
            payer.settings,
            payer.gateways,
            payer.tenant_id,
            datetime.now(UTC),
        )
    for passed in (timedelta(minutes=2), LOST_AFTER, LOST_AFTER * 2):
        await payer.reconciles(passed)
        await payer.recharges(passed)
    await stripe.reported()
    await razorpay.reported()
    assert await payer.entries() == [("grant", 1.0), ("topup", 20.0)]
    assert (stripe.captured_minor, razorpay.captured_minor) == (
        (2000, 0) if country == "US" else (0, 160_000)
    )
    await assert_books_balance(payer.database)
