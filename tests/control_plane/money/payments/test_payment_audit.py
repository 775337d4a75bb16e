"""The audit finds what was captured and is not in the ledger or on paper."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from control_plane.money.payments.auditing.audit import audit_payments
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.stripe_wire import StripeWire


async def paid_and_refunded(payer: Payer, stripe: StripeWire) -> None:
    begun = await payer.begin(20)
    await stripe.customer_pays(begun["stripe"]["session_id"])
    [intent] = stripe.intents.values()
    await stripe.refund(intent["id"], 500)
    await payer.begin(30)


async def test_sound_books_have_no_difference(payer: Payer, stripe: StripeWire) -> None:
    assert await audit_payments(payer.database) == []
    await paid_and_refunded(payer, stripe)
    assert await audit_payments(payer.database) == []


@pytest.mark.parametrize(
    ("forgery", "found"),
    [
        (
            "UPDATE payments SET credit_micros = 1 WHERE state = 'succeeded'",
            "is $0.000001, and its entry is $20.000000",
        ),
        (
            "UPDATE payments SET bonus_micros = 7 WHERE state = 'succeeded'",
            "is $0.000007, and its entry is missing",
        ),
        (
            "UPDATE payments SET gateway_payment_id = 'pi_x' WHERE state = 'succeeded'",
            "is $20.000000, and its entry is missing",
        ),
        (
            "UPDATE payment_reversals SET credit_micros = 1",
            "is -$0.000001, and its entry is -$5.000000",
        ),
        (
            "UPDATE payment_reversals SET returned_at = now()",
            "is $5.000000, and its entry is missing",
        ),
        (
            "UPDATE payments SET total_minor = 1 WHERE state = 'succeeded'",
            "is over 1 minor units of USD, and its invoice is over 2000",
        ),
        (
            "UPDATE invoice_counters SET last_number = 3",
            "is at 3, and 2 have a number, the highest 00000002",
        ),
    ],
)
async def test_a_forgery_is_found(
    payer: Payer, stripe: StripeWire, forgery: str, found: str
) -> None:
    await paid_and_refunded(payer, stripe)
    async with payer.database.system_session() as session:
        await session.execute(text(forgery))
    differences = await audit_payments(payer.database)
    assert found in " ".join(each.what for each in differences)
