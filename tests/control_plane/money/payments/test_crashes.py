"""Whatever crashes between any two steps: what a gateway has captured is what is posted."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Literal
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sqlalchemy import func, select

from contracts.money import MICROS_PER_USD
from control_plane.money.billing.models import LedgerEntry
from control_plane.money.invoices.models import Invoice
from control_plane.money.payments import checkout, recharging, reconciling
from control_plane.money.payments.checkout import TopUp
from control_plane.money.payments.customers import customer_of, known_customer_id
from control_plane.money.payments.models import Payment, PaymentMethod
from control_plane.money.payments.reconciling import LOST_AFTER
from tests.control_plane.conftest import open_account
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.mortal_database import Crash, MortalDatabase
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.payment_outcomes import ChargeKind, ChargeOutcome, Reporting
from tests.stand_ins.stripe_wire import StripeWire

Step = tuple[
    Literal["recharge", "checkout", "pay", "reconcile", "events", "refund"],
    int,
    ChargeKind,
    Reporting,
]
"""What is done, where the process dies (0: nowhere), and how the gateway behaves."""
STEPS: st.SearchStrategy[list[Step]] = st.lists(
    st.tuples(
        st.sampled_from(["recharge", "checkout", "pay", "reconcile", "events", "refund"]),
        st.integers(0, 10),
        st.sampled_from(["succeeds", "declines", "fails_before_charging", "fails_after_charging"]),
        st.sampled_from(["after", "before", "twice", "never"]),
    ),
    min_size=1,
    max_size=7,
)


async def do(payer: Payer, stripe: StripeWire, step: Step, clock: timedelta) -> None:
    what, dies_after, kind, reporting = step
    now = datetime.now(UTC) + clock
    database = MortalDatabase(payer.database, dies_after) if dies_after else payer.database
    stripe.charges.planned = [ChargeOutcome(kind, reporting=reporting)]
    stripe.reporting = reporting
    try:
        match what:
            case "recharge":
                await recharging.recharge(
                    database, payer.settings, payer.gateways, payer.tenant_id, now
                )
            case "checkout":
                await checkout.begin_checkout(
                    database,
                    payer.settings,
                    payer.gateways,
                    payer.tenant_id,
                    uuid4(),
                    TopUp(Decimal(20), save_card=True),
                    now,
                )
            case "pay":
                for session in stripe.sessions.values():
                    if session["status"] == "open":
                        await stripe.customer_pays(session["id"])
                        break
            case "reconcile":
                await reconciling.reconcile(database, payer.settings, payer.gateways, now)
            case "events":
                await stripe.events.resend_all(backwards=dies_after % 2 == 0)
            case "refund":
                for intent in stripe.intents.values():
                    if intent["status"] == "succeeded":
                        await stripe.refund(intent["id"], 300 + dies_after)
                        break
    except Crash:
        pass
    await stripe.reported()


@pytest.mark.timeout(300)
@hypothesis_settings(
    max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(STEPS)
async def test_what_is_captured_is_posted_whatever_crashes(
    payer: Payer, stripe: StripeWire, steps: list[Step]
) -> None:
    stripe.forget()
    payer = replace(payer, tenant=await open_account(payer.tenant.http))
    await payer.saves_a_card()
    gateway = payer.gateways.find("stripe")
    assert gateway is not None
    await known_customer_id(
        payer.database, gateway, await customer_of(payer.database, payer.tenant_id)
    )
    await payer.turns_recharging_on()
    clock = timedelta()
    for step in steps:
        await do(payer, stripe, step, clock)
        clock += timedelta(minutes=3)
    # The processes live again, and every event comes at last.
    for _ in range(4):
        clock += LOST_AFTER + timedelta(hours=1)
        now = datetime.now(UTC) + clock
        await reconciling.reconcile(payer.database, payer.settings, payer.gateways, now)
    await stripe.events.resend_all()
    await check(payer, stripe)


async def check(payer: Payer, stripe: StripeWire) -> None:
    async with payer.database.system_session() as session:
        paid = await session.scalar(
            select(func.coalesce(func.sum(Payment.total_minor), 0)).where(
                Payment.tenant_id == payer.tenant_id, Payment.state == "succeeded"
            )
        )
        posted = await session.scalar(
            select(func.coalesce(func.sum(LedgerEntry.purchased_micros), 0)).where(
                LedgerEntry.tenant_id == payer.tenant_id,
                LedgerEntry.transaction_type.in_(["topup", "refund"]),
            )
        )
        invoiced = await session.scalar(
            select(func.coalesce(func.sum(Invoice.total_minor), 0)).where(
                Invoice.tenant_id == payer.tenant_id, Invoice.kind == "topup"
            )
        )
        numbers = list(
            await session.scalars(select(Invoice.invoice_number).order_by(Invoice.position))
        )
        defaults = await session.scalar(
            select(func.count()).where(
                PaymentMethod.tenant_id == payer.tenant_id, PaymentMethod.is_default
            )
        )
    assert paid == invoiced == stripe.captured_minor
    assert posted == (stripe.captured_minor - stripe.refunded_minor) * (MICROS_PER_USD // 100)
    assert [int(number.rpartition("-")[2]) for number in numbers] == list(
        range(1, len(numbers) + 1)
    )
    assert defaults == 1
    await assert_books_balance(payer.database)


@pytest.mark.parametrize("dies_at", range(1, 11))
async def test_a_checkout_that_died_is_finished_by_the_next_attempt_with_its_key(
    payer: Payer, stripe: StripeWire, dies_at: int
) -> None:
    payment_id = uuid4()
    for database in (MortalDatabase(payer.database, dies_at), payer.database):
        with suppress(Crash):
            begun = await checkout.begin_checkout(
                database,
                payer.settings,
                payer.gateways,
                payer.tenant_id,
                payment_id,
                TopUp(Decimal(20)),
                datetime.now(UTC),
            )
    assert list(stripe.sessions) == [begun.shown["session_id"]]
    await stripe.customer_pays(begun.shown["session_id"])
    assert await payer.entries() == [("topup", 20.0)]
