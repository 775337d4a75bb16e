"""Each month of a plan has an invoice over the credit that it includes, which nobody pays."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime
from io import BytesIO
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from pypdf import PdfReader
from sqlalchemy import text

from control_plane.money.invoices.service import Line, PaidBill, issue_for_top_up
from control_plane.money.payments import repository as payments
from control_plane.money.payments.auditing.audit import audit_payments
from control_plane.money.plans.monthly_credit import renew_plan_credit
from control_plane.money.plans.tasks import renew_credit
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.money.billing.books import assert_books_balance
from tests.control_plane.money.payments.mortal_database import Crash, MortalDatabase

JANUARY = datetime(2026, 1, 15, 12, tzinfo=UTC)
FEBRUARY = datetime(2026, 2, 1, tzinfo=UTC)


async def operator(
    http: httpx2.AsyncClient, method: str, path: str, body: object
) -> httpx2.Response:
    return await http.request(method, f"/v1/operator{path}", headers=OPERATOR, json=body)


async def subscribe(tenant: TenantClient, plan_id: str, monthly_credit_usd: float) -> None:
    """Add a plan, and put the tenant on it."""
    plan = {"id": plan_id, "display_name": "Growth", "monthly_credit_usd": monthly_credit_usd}
    answer = await operator(tenant.http, "POST", "/plans", plan)
    assert answer.status_code == 201, answer.text
    await change_plan(tenant, plan_id)


async def change_plan(tenant: TenantClient, plan_id: str) -> None:
    path = f"/tenants/{tenant.tenant_id}"
    answer = await operator(tenant.http, "PATCH", path, {"plan_id": plan_id})
    assert answer.status_code == 200, answer.text


@pytest.fixture
async def subscriber(tenant: TenantClient) -> TenantClient:
    """On a plan that includes $99 a month, of which it has got nothing yet."""
    await subscribe(tenant, "growth", 99)
    return tenant


async def renew(database: Database, now: datetime) -> int:
    """Does what the job does."""
    return await renew_plan_credit(database, now, "INV")


async def invoices_of(tenant: TenantClient) -> list[dict[str, Any]]:
    """Newest first."""
    answer = await tenant.get("/v1/billing/invoices")
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["invoices"]
    return found


async def items_of(tenant: TenantClient, invoice: dict[str, Any]) -> list[dict[str, Any]]:
    shown = (await tenant.get(f"/v1/billing/invoices/{invoice['id']}")).json()
    assert shown["invoice"] == invoice
    items: list[dict[str, Any]] = shown["items"]
    return items


async def grants_of(tenant: TenantClient) -> list[dict[str, Any]]:
    """Of plan credit, newest first."""
    found = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    return [each for each in found if "plan_id" in each["metadata"]]


async def test_a_month_has_an_invoice_over_its_credit_with_an_equal_discount(
    subscriber: TenantClient, database: Database
) -> None:
    await renew(database, JANUARY)
    [invoice] = await invoices_of(subscriber)
    [grant] = await grants_of(subscriber)
    expected = {
        "invoice_number": "INV-2026-00000001",
        "tenant_id": str(subscriber.tenant_id),
        "kind": "plan_cycle",
        "status": "issued",
        "currency": "USD",
        "subtotal_minor": 9900,
        "tax_minor": 0,
        "discount_minor": 9900,
        "total_minor": 0,
        "taxes": [],
        "gateway": None,
        "gateway_invoice_id": None,
        "payment_event_id": grant["id"],
        "credited_invoice_id": None,
        "period_start": "2026-01-01T00:00:00Z",
        "period_end": "2026-02-01T00:00:00Z",
        "issued_at": "2026-01-15T12:00:00Z",
        "paid_at": None,
        "voided_at": None,
    }
    assert invoice == {"id": invoice["id"]} | expected
    [item] = await items_of(subscriber, invoice)
    assert item == {
        "id": item["id"],
        "invoice_id": invoice["id"],
        "kind": "plan_credit",
        "description": "Credit of the plan Growth for 2026-01",
        "quantity": 1,
        "unit_amount_minor": 9900,
        "amount_minor": 9900,
        "plan_id": "growth",
        "credit_transaction_id": grant["id"],
    }


async def test_each_month_is_invoiced_once_however_many_jobs_run(
    subscriber: TenantClient, database: Database
) -> None:
    for now in (JANUARY, FEBRUARY):
        renewed = await asyncio.gather(*(renew(database, now) for _ in range(6)))
        assert sum(renewed) == 1
    invoices = await invoices_of(subscriber)
    assert [(each["invoice_number"][-1], each["period_start"][:7]) for each in invoices] == [
        ("2", "2026-02"),
        ("1", "2026-01"),
    ]
    # The entry that ends January's credit has none.
    assert [each["payment_event_id"] for each in invoices] == [
        each["id"] for each in await grants_of(subscriber)
    ]


@pytest.mark.parametrize(
    ("dies_at", "left"), [(3, 0), (4, 1)], ids=["before the commit", "after the commit"]
)
async def test_a_crash_leaves_the_credit_and_its_invoice_or_neither(
    subscriber: TenantClient, database: Database, dies_at: int, left: int
) -> None:
    """The job's second transaction begins the month."""
    with pytest.raises(Crash):
        await renew(MortalDatabase(database, dies_at), JANUARY)
    assert len(await invoices_of(subscriber)) == len(await grants_of(subscriber)) == left
    assert await renew(database, JANUARY) == 1 - left
    [invoice] = await invoices_of(subscriber)
    assert invoice["invoice_number"] == "INV-2026-00000001", "a number that was not used is"
    assert len(await grants_of(subscriber)) == 1


async def test_a_plan_without_credit_has_no_invoice(
    subscriber: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    await renew(database, JANUARY)
    await change_plan(subscriber, "pay_as_you_go")
    assert await renew(database, FEBRUARY) == 1, "January's credit expires"
    assert len(await invoices_of(subscriber)) == 1
    assert await invoices_of(other_tenant) == []


async def test_who_gets_a_plan_during_a_month_has_an_invoice_of_that_month(
    tenant: TenantClient, database: Database
) -> None:
    now = datetime.now(UTC)
    await renew(database, now)
    assert await invoices_of(tenant) == []
    await subscribe(tenant, "growth", 99)
    await renew(database, now)
    [invoice] = await invoices_of(tenant)
    assert invoice["period_start"] == f"{now:%Y-%m}-01T00:00:00Z"
    await subscribe(tenant, "bigger", 199)
    assert await renew(database, now) == 0
    assert len(await invoices_of(tenant)) == 1


async def test_a_fraction_of_a_cent_is_not_on_the_invoice(
    tenant: TenantClient, database: Database
) -> None:
    await subscribe(tenant, "odd", 7.129999)
    await renew(database, JANUARY)
    [invoice] = await invoices_of(tenant)
    assert (invoice["subtotal_minor"], invoice["total_minor"]) == (712, 0)
    [item] = await items_of(tenant, invoice)
    assert item["amount_minor"] == 712
    [grant] = await grants_of(tenant)
    assert grant["amount_usd"] == 7.129999


async def test_there_is_no_tax_on_nothing_and_the_pdf_names_the_customer(
    subscriber: TenantClient, database: Database
) -> None:
    rate = {"country": "DE", "kind": "VAT", "percent": 19}
    assert (await operator(subscriber.http, "POST", "/tax-rates", rate)).is_success
    async with database.system_session() as session:
        await payments.note_in_profile(
            session, subscriber.tenant_id, billing_country="DE", tax_id="DE123"
        )
        await session.execute(
            text("UPDATE tenants SET name = 'Bright Smiles' WHERE id = :id"),
            {"id": subscriber.tenant_id},
        )
    await renew(database, JANUARY)
    [invoice] = await invoices_of(subscriber)
    assert (invoice["taxes"], invoice["tax_minor"], invoice["total_minor"]) == ([], 0, 0)
    answer = await subscriber.get(f"/v1/billing/invoices/{invoice['id']}/pdf")
    assert answer.status_code == 200, answer.text
    words = " ".join(page.extract_text() for page in PdfReader(BytesIO(answer.content)).pages)
    for shown in (
        "Invoice INV-2026-00000001",
        "To: Bright Smiles",
        "Country: DE",
        "Tax number: DE123",
        "Period: 2026-01-01 to 2026-01-31",
        "Credit of the plan Growth for 2026-01",
        "USD 99.00",
        "USD -99.00",
        "USD 0.00",
    ):
        assert shown in words, words
    assert "Paid" not in words


async def test_it_is_not_voided_because_nothing_was_paid(
    subscriber: TenantClient, database: Database
) -> None:
    await renew(database, JANUARY)
    [invoice] = await invoices_of(subscriber)
    answer = await operator(
        subscriber.http, "POST", f"/invoices/{invoice['id']}/void", {"reason": "Wrong company"}
    )
    assert (answer.status_code, answer.json()["code"]) == (409, "invoice_not_voidable")
    assert "INV-2026-00000001 is over credit that a plan includes" in answer.json()["detail"]
    assert await invoices_of(subscriber) == [invoice], "and no number is used"


async def test_nobody_is_notified_of_an_invoice_over_nothing(
    subscriber: TenantClient, database: Database
) -> None:
    await renew(database, JANUARY)
    async with database.system_session() as session:
        told = await session.scalars(text("SELECT event FROM outbox_events"))
        assert "billing.invoice_ready" not in list(told)


async def test_months_and_top_ups_of_all_tenants_share_one_row_of_numbers(
    subscriber: TenantClient, other_tenant: TenantClient, database: Database
) -> None:
    """Also when they are issued at once: each waits for the number before it."""
    await change_plan(other_tenant, "growth")

    async def top_up() -> None:
        async with database.system_session() as session:
            await issue_for_top_up(session, bill(subscriber.tenant_id), "INV", JANUARY)

    await asyncio.gather(
        *(top_up() for _ in range(8)), *(renew(database, JANUARY) for _ in range(3))
    )
    invoices = [*await invoices_of(subscriber), *await invoices_of(other_tenant)]
    assert Counter(each["kind"] for each in invoices) == {"topup": 8, "plan_cycle": 2}
    assert sorted(each["invoice_number"] for each in invoices) == [
        f"INV-2026-{number:08d}" for number in range(1, 11)
    ]


async def test_the_job_numbers_invoices_with_the_prefix_of_the_settings(
    subscriber: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    acme = settings.model_copy(update={"invoice_prefix": "ACME"})
    context: Any = SimpleNamespace(additional_context=job_resources(database, acme))
    for timestamp in range(2):
        await renew_credit(context, timestamp)
    [invoice] = await invoices_of(subscriber)
    assert invoice["invoice_number"].startswith("ACME-")


async def test_the_audits_find_no_difference_in_invoiced_months(
    subscriber: TenantClient, database: Database
) -> None:
    for now in (JANUARY, FEBRUARY):
        await renew(database, now)
    assert await audit_payments(database) == []
    await assert_books_balance(database)


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
