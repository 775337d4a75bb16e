"""The audit finds what was captured and is not in the ledger or on paper, and what is in the ledger
or on paper and was not captured."""

from __future__ import annotations

import pytest
from sqlalchemy import text

from control_plane.money.payments.auditing.audit import audit_payments
from tests.control_plane.conftest import OPERATOR
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


def forged_entry(reference: str, transaction_type: str, micros: int) -> str:
    return (
        "INSERT INTO ledger_entries (id, tenant_id, reference, transaction_type, free_micros,"
        " purchased_micros, amount_seconds, description) SELECT gen_random_uuid(), tenant_id,"
        f" '{reference}', '{transaction_type}', 0, {micros}, 0, 'Forged'"
        " FROM payments WHERE state = 'succeeded'"
    )


def forged_invoice(
    number: int, kind: str, credited: str = "NULL", *, invoice_number: str | None = None
) -> str:
    """Over $20, of the payment, with an item."""
    invoice_number = invoice_number or f"prefix || '-' || year || '-0000000{number}'"
    return f"""
        WITH paper AS (
            INSERT INTO invoices (id, invoice_number, tenant_id, kind, status, currency,
                subtotal_minor, tax_minor, discount_minor, total_minor, taxes, payment_event_id,
                credited_invoice_id, reference, billed_to, issued_at)
            SELECT gen_random_uuid(), {invoice_number}, tenant_id, '{kind}', 'paid', 'USD',
                2000, 0, 0, 2000, '[]', payments.id, {credited}, 'forged:{number}', '{{}}', now()
            FROM payments, invoice_counters WHERE state = 'succeeded'
            RETURNING id, tenant_id
        )
        INSERT INTO invoice_items ({ITEM})
        SELECT gen_random_uuid(), id, tenant_id, 1, 'topup', 'Forged', 1, 2000, 2000 FROM paper
    """


def forged_item(kind: str) -> str:
    return (
        f"INSERT INTO invoice_items ({ITEM}) SELECT gen_random_uuid(), id, tenant_id, 9, 'topup',"
        f" 'Forged', 1, 500, 500 FROM invoices WHERE kind = '{kind}'"
    )


ITEM = (
    "id, invoice_id, tenant_id, line, kind, description, quantity, unit_amount_minor, amount_minor"
)


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
        *(
            (
                forged_entry(reference, transaction_type, micros),
                f"the entry {reference} is {shown}, and what it was posted for is missing",
            )
            for reference, transaction_type, micros, shown in (
                ("topup:stripe:pi_forged", "topup", 90_000_000, "$90.000000"),
                ("topup:forged", "topup", 1, "$0.000001"),
                ("mine", "topup", 1, "$0.000001"),
                ("bonus:stripe:pi_forged", "bonus", 5, "$0.000005"),
                ("refund:stripe:re_forged", "refund", -5, "-$0.000005"),
                ("dispute:stripe:du_forged", "dispute", -5, "-$0.000005"),
                ("dispute:won:stripe:du_forged", "dispute", 5, "$0.000005"),
                ("refund_failed:stripe:re_forged", "correction", 5, "$0.000005"),
            )
        ),
        (
            "UPDATE payments SET state = 'failed' WHERE state = 'succeeded'",
            "is $20.000000, and what it was posted for is missing",
        ),
        (
            "UPDATE payments SET state = 'failed' WHERE state = 'succeeded'",
            "is over 2000 minor units of USD, and the captured payment that it is for is missing",
        ),
        (
            forged_invoice(3, "topup"),
            "3 is over 2000 minor units of USD, and the captured payment that it is for is missing",
        ),
        (forged_item("topup"), "1 is 2000 minor units of USD, and the sum of its items is 2500"),
        (
            forged_item("credit_note"),
            "2 is 500 minor units of USD, and the sum of its items is 1000",
        ),
        (
            "UPDATE invoices SET status = 'voided' WHERE kind = 'topup'",
            "is 2000 minor units of USD, and the sum of its credit notes is 500",
        ),
        (
            "INSERT INTO payment_reversals (gateway, gateway_id, tenant_id, payment_id, kind,"
            " amount_minor, credit_micros) SELECT 'stripe', 're_x', tenant_id, id, 'refund', 300, 3"
            " FROM payments WHERE state = 'succeeded'",
            "is 800 minor units of USD, and the sum of its credit notes is 500",
        ),
        (
            "UPDATE payment_reversals SET amount_minor = 400",
            "is 400 minor units of USD, and the sum of its credit notes is 500",
        ),
        (
            "UPDATE payment_reversals SET gateway_id = 're_x'",
            "2 is over 500 minor units of USD, and the refund or void that it is for is missing",
        ),
        *(
            (
                forged_invoice(3, "credit_note", credited),
                "3 is over 2000 minor units of USD, and the refund or void that it is for is"
                " missing",
            )
            for credited in (
                "NULL",
                "(SELECT id FROM invoices WHERE kind = 'topup')",
                "(SELECT id FROM invoices WHERE kind = 'credit_note')",
            )
        ),
        (
            "UPDATE invoice_counters SET last_number = 3",
            "is at 3, and 2 have a number, the highest 00000002",
        ),
        (forged_invoice(3, "plan"), "is at 2, and 3 have a number, the highest 00000003"),
        (
            forged_invoice(3, "plan", invoice_number="'OTHER-2020-00000001'"),
            "OTHER-2020 is at 0, and 1 have a number, the highest 00000001",
        ),
        (
            forged_invoice(3, "plan", invoice_number="prefix || '-' || year || '-x'"),
            "is at 2, and 3 have a number, the highest x",
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


@pytest.mark.parametrize("transaction_type", ["bonus", "refund", "dispute"])
async def test_an_entry_of_a_payment_that_had_no_such_thing_is_found(
    payer: Payer, stripe: StripeWire, transaction_type: str
) -> None:
    """The payment is there, and had no bonus; the refund is there, and did not fail."""
    await paid_and_refunded(payer, stripe)
    [intent_id], [refund_id] = stripe.intents, stripe.refunds
    reference, of_type = {
        "bonus": (f"bonus:stripe:{intent_id}", "bonus"),
        "refund": (f"refund_failed:stripe:{refund_id}", "correction"),
        "dispute": (f"dispute:stripe:{refund_id}", "dispute"),
    }[transaction_type]
    async with payer.database.system_session() as session:
        await session.execute(text(forged_entry(reference, of_type, 7)))
    [difference] = await audit_payments(payer.database)
    assert difference.tenant_id == payer.tenant_id
    assert f"the entry {reference} is $0.000007" in difference.what


async def test_bonuses_failed_refunds_and_disputes_are_no_difference(
    payer: Payer, stripe: StripeWire
) -> None:
    pack = {"display_name": "$50", "price_cents": 5000, "bonus_cents": 500}
    await payer.tenant.http.post("/v1/operator/topup-packs", headers=OPERATOR, json=pack)
    for _ in range(2):
        begun = await payer.begin(50)
        await stripe.customer_pays(begun["stripe"]["session_id"])
    refunded, disputed = stripe.intents
    await stripe.fail_refund(await stripe.refund(refunded, 500))
    await stripe.refund(refunded, 700)
    await stripe.win(await stripe.dispute(disputed))
    assert len(await payer.entries()) == 9
    assert await audit_payments(payer.database) == []


async def test_a_voided_invoice_with_refunds_is_no_difference(
    payer: Payer, stripe: StripeWire
) -> None:
    await paid_and_refunded(payer, stripe)
    [invoice] = (await payer.tenant.get("/v1/billing/invoices")).json()["invoices"][1:]
    voiding = f"/v1/operator/invoices/{invoice['id']}/void"
    answer = await payer.tenant.http.post(voiding, headers=OPERATOR, json={"reason": "Wrong name"})
    assert answer.status_code == 200, answer.text
    [intent_id] = stripe.intents
    await stripe.refund(intent_id, 300)
    assert await audit_payments(payer.database) == []


async def test_invoices_of_another_kind_need_no_payment(payer: Payer, stripe: StripeWire) -> None:
    await paid_and_refunded(payer, stripe)
    async with payer.database.system_session() as session:
        await session.execute(text(forged_invoice(3, "plan")))
        of_plan = "(SELECT id FROM invoices WHERE kind = 'plan')"
        await session.execute(text(forged_invoice(4, "credit_note", of_plan)))
        await session.execute(text("UPDATE invoice_counters SET last_number = 4"))
    assert await audit_payments(payer.database) == []


async def test_a_number_that_nobody_has_is_found(payer: Payer, stripe: StripeWire) -> None:
    await paid_and_refunded(payer, stripe)
    async with payer.database.system_session() as session:
        await session.execute(text(forged_invoice(5, "plan")))
        await session.execute(text("UPDATE invoice_counters SET last_number = 5"))
    [difference] = await audit_payments(payer.database)
    assert "is at 5, and 3 have a number, the highest 00000005" in difference.what
