"""Invoices: numbers without gaps, taxes, credit notes, PDFs."""

from __future__ import annotations

import asyncio
import zlib
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

import pytest

from control_plane.money.invoices.service import Line, PaidBill, issue_for_top_up
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.money.payments.paying import Payer
from tests.stand_ins.stripe_wire import StripeWire


async def operator(payer: Payer, method: str, path: str, body: object = None) -> dict[str, Any]:
    answer = await payer.tenant.http.request(
        method, f"/v1/operator{path}", headers=OPERATOR, json=body
    )
    assert answer.is_success, answer.text
    shown: dict[str, Any] = answer.json()
    return shown


async def pays(payer: Payer, stripe: StripeWire, pack_usd: float = 20, **fields: Any) -> None:
    begun = await payer.begin(pack_usd, **fields)
    await stripe.customer_pays(begun["stripe"]["session_id"])


async def invoices_of(payer: Payer) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await payer.tenant.get("/v1/billing/invoices")).json()[
        "invoices"
    ]
    return found


def bill(tenant_id: UUID) -> PaidBill:
    return PaidBill(
        payment_id=uuid4(),
        tenant_id=tenant_id,
        gateway="stripe",
        currency="USD",
        subtotal_minor=100,
        tax_minor=0,
        taxes=[],
        billed_to={"name": "A company"},
        lines=[Line("topup", "Credit", 100)],
    )


class Undone(Exception):
    """Rolls a transaction back."""


async def test_an_invoice_has_items_taxes_and_what_was_paid(
    payer: Payer, stripe: StripeWire
) -> None:
    rate = {"country": "DE", "kind": "VAT", "percent": 19}
    await operator(payer, "POST", "/tax-rates", rate)
    await pays(payer, stripe, billing_country="de", tax_id="DE123")
    assert stripe.captured_minor == 2380
    [invoice] = await invoices_of(payer)
    year = datetime.now(UTC).year
    assert invoice["invoice_number"] == f"INV-{year}-00000001"
    assert {name: invoice[name] for name in ("kind", "status", "currency", "gateway")} == {
        "kind": "topup",
        "status": "paid",
        "currency": "USD",
        "gateway": "stripe",
    }
    assert (
        invoice["subtotal_minor"],
        invoice["tax_minor"],
        invoice["discount_minor"],
        invoice["total_minor"],
    ) == (2000, 380, 0, 2380)
    assert invoice["paid_at"] is not None
    assert (invoice["period_start"], invoice["gateway_invoice_id"]) == (None, None)
    shown = (await payer.tenant.get(f"/v1/billing/invoices/{invoice['id']}")).json()
    assert shown["invoice"] == invoice
    [item] = shown["items"]
    transactions = (await payer.tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert item["credit_transaction_id"] == transactions[0]["id"]
    assert (item["kind"], item["quantity"], item["amount_minor"]) == ("topup", 1, 2000)
    assert await payer.entries() == [("topup", 20.0)], "tax is no credit"


async def test_the_parts_of_an_invoice_over_another_amount_add_up(
    payer: Payer, stripe: StripeWire
) -> None:
    for kind in ("CGST", "SGST"):
        rate = {"country": "DE", "kind": kind, "percent": 9}
        await operator(payer, "POST", "/tax-rates", rate)
    begun = await payer.begin(20, billing_country="DE")
    session_id = begun["stripe"]["session_id"]
    assert stripe.sessions[session_id]["amount_total"] == 2360
    stripe.sessions[session_id]["amount_total"] = 1111
    await stripe.customer_pays(session_id)
    [invoice] = await invoices_of(payer)
    amounts = [invoice[name] for name in ("subtotal_minor", "tax_minor", "total_minor")]
    assert amounts == [942, 169, 1111]
    assert [tax["amount_minor"] for tax in invoice["taxes"]] == [85, 84]


async def test_what_was_paid_in_another_currency_is_invoiced_in_it(
    payer: Payer, stripe: StripeWire
) -> None:
    begun = await payer.begin(20, billing_country="DE")
    session_id = begun["stripe"]["session_id"]
    stripe.sessions[session_id].update(amount_total=1850, currency="eur")
    await stripe.customer_pays(session_id)
    [invoice] = await invoices_of(payer)
    assert (invoice["currency"], invoice["total_minor"]) == ("EUR", 1850)
    await stripe.refund(stripe.sessions[session_id]["payment_intent"], 925)
    assert await payer.entries() == [("topup", 20.0), ("refund", -10.0)]


async def test_a_tax_that_ended_and_a_reverse_charge_are_not_paid(
    payer: Payer, stripe: StripeWire
) -> None:
    rate = {"country": "DE", "kind": "VAT", "percent": 19, "reverse_charge": True}
    added = await operator(payer, "POST", "/tax-rates", rate)
    await pays(payer, stripe, billing_country="DE", tax_id="DE123")
    await operator(payer, "DELETE", f"/tax-rates/{added['id']}")
    await pays(payer, stripe)
    ended, reverse_charged = await invoices_of(payer)
    assert [each["total_minor"] for each in (ended, reverse_charged)] == [2000, 2000]
    assert [tax["is_reverse_charged"] for tax in reverse_charged["taxes"]] == [True]
    assert ended["taxes"] == []


async def test_numbers_have_no_gaps_and_no_doubles_whatever_is_rolled_back(payer: Payer) -> None:
    async def issue(number: int) -> None:
        try:
            async with payer.database.system_session() as session:
                now = datetime(2031, 3, 4, tzinfo=UTC)
                await issue_for_top_up(session, bill(payer.tenant_id), "T", now)
                if number % 3 == 0:
                    raise Undone
        except Undone:
            pass

    await asyncio.gather(*(issue(number) for number in range(30)))
    numbers = sorted(each["invoice_number"] for each in await invoices_of(payer))
    assert numbers == [f"T-2031-{number:08d}" for number in range(1, 21)]


async def test_each_year_begins_with_one(payer: Payer) -> None:
    for year in (2031, 2032):
        async with payer.database.system_session() as session:
            await issue_for_top_up(
                session, bill(payer.tenant_id), "T", datetime(year, 1, 1, tzinfo=UTC)
            )
    numbers = [each["invoice_number"] for each in await invoices_of(payer)]
    assert numbers == ["T-2032-00000001", "T-2031-00000001"]


async def test_pages_follow_each_other(payer: Payer) -> None:
    for _ in range(5):
        async with payer.database.system_session() as session:
            await issue_for_top_up(session, bill(payer.tenant_id), "T", datetime.now(UTC))
    seen: list[str] = []
    cursor: str | None = ""
    while cursor is not None:
        query = f"?limit=2&cursor={cursor}" if cursor else "?limit=2"
        page = (await payer.tenant.get(f"/v1/billing/invoices{query}")).json()
        seen += [each["invoice_number"] for each in page["invoices"]]
        cursor = page["next_cursor"]
    assert seen == [each["invoice_number"] for each in await invoices_of(payer)]
    assert len(seen) == 5
    for wrong in ("x", uuid4()):
        answer = await payer.tenant.get(f"/v1/billing/invoices?cursor={wrong}")
        assert answer.status_code == 400, answer.text


async def test_voiding_makes_a_credit_note_and_moves_no_credit(
    payer: Payer, stripe: StripeWire
) -> None:
    await operator(payer, "POST", "/tax-rates", {"country": "DE", "kind": "VAT", "percent": 19})
    await pays(payer, stripe, billing_country="DE")
    [invoice] = await invoices_of(payer)
    path = f"/invoices/{invoice['id']}/void"
    voided = await operator(payer, "POST", path, {"reason": "Wrong company"})
    note, again = await invoices_of(payer)
    assert note["invoice_number"] == voided["credit_note_number"]
    assert (note["kind"], note["status"], note["credited_invoice_id"]) == (
        "credit_note",
        "issued",
        invoice["id"],
    )
    assert (note["total_minor"], note["tax_minor"]) == (2380, 380)
    assert (again["status"], again["voided_at"] is not None) == ("voided", True)
    assert await payer.balance_usd() == 20
    for invoice_id in (invoice["id"], note["id"]):
        answer = await payer.tenant.http.post(
            f"/v1/operator/invoices/{invoice_id}/void", headers=OPERATOR, json={"reason": "x"}
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "invoice_not_voidable")


async def test_credit_notes_of_an_invoice_never_exceed_it_and_have_all_of_its_tax(
    payer: Payer, stripe: StripeWire
) -> None:
    await operator(payer, "POST", "/tax-rates", {"country": "DE", "kind": "VAT", "percent": 19})
    await pays(payer, stripe, billing_country="DE")
    [intent] = stripe.intents.values()
    await stripe.refund(intent["id"], 777)
    [_, invoice] = await invoices_of(payer)
    await operator(payer, "POST", f"/invoices/{invoice['id']}/void", {"reason": "x"})
    notes = [each for each in await invoices_of(payer) if each["kind"] == "credit_note"]
    assert sum(each["total_minor"] for each in notes) == 2380
    assert sum(each["tax_minor"] for each in notes) == 380


@pytest.mark.parametrize("suffix", ["", "/pdf"])
async def test_an_invoice_that_the_tenant_does_not_have_is_404(
    payer: Payer, stripe: StripeWire, other_tenant: TenantClient, suffix: str
) -> None:
    await pays(payer, stripe)
    [invoice] = await invoices_of(payer)
    for tenant, invoice_id in ((other_tenant, invoice["id"]), (payer.tenant, uuid4())):
        answer = await tenant.get(f"/v1/billing/invoices/{invoice_id}{suffix}")
        assert (answer.status_code, answer.json()["code"]) == (404, "invoice_not_found")


async def test_the_pdf_shows_the_invoice(payer: Payer, stripe: StripeWire) -> None:
    rate = {"country": "DE", "kind": "VAT", "percent": 19}
    await operator(payer, "POST", "/tax-rates", rate)
    await pays(payer, stripe, billing_country="DE", tax_id="DE123")
    [invoice] = await invoices_of(payer)
    answer = await payer.tenant.get(f"/v1/billing/invoices/{invoice['id']}/pdf")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/pdf"
    assert invoice["invoice_number"] in answer.headers["content-disposition"]
    words = text_of(answer.content)
    for shown in (
        invoice["invoice_number"],
        "USD 20.00",
        "VAT 19 %",
        "USD 3.80",
        "USD 23.80",
        "DE123",
    ):
        assert shown in words, words


def text_of(pdf: bytes) -> str:
    """The text of a PDF with standard fonts, as it stands in its compressed streams."""
    assert pdf.startswith(b"%PDF-")
    found = []
    for part in pdf.split(b"stream\n")[1::2]:
        try:
            found.append(zlib.decompress(part.split(b"\nendstream")[0]).decode("latin-1"))
        except zlib.error:
            continue
    return "\n".join(found)
