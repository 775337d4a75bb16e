"""Somebody tops up in a browser: at the gateway's hosted page, and back in the console."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime

import httpx2
import pytest
from playwright.async_api import expect

from control_plane.money.plans.monthly_credit import renew_plan_credit
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.console.test_operator_pages_in_browser import enter as enter_as_operator
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.money.payments.paying import delivery_to, paid_through
from tests.stand_ins.razorpay_wire import RazorpayWire
from tests.stand_ins.stripe_wire import StripeWire

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


@pytest.fixture
async def stripe() -> AsyncIterator[StripeWire]:
    async with StripeWire().serving() as stripe:
        yield stripe


@pytest.fixture
async def razorpay() -> AsyncIterator[RazorpayWire]:
    async with RazorpayWire().serving() as razorpay:
        yield razorpay


@pytest.fixture
def settings(
    settings: ControlPlaneSettings, stripe: StripeWire, razorpay: RazorpayWire
) -> ControlPlaneSettings:
    return paid_through(settings, stripe=stripe, razorpay=razorpay)


async def test_a_payment_at_the_hosted_page_changes_the_balance(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    http: httpx2.AsyncClient,
    stripe: StripeWire,
) -> None:
    pack = {"display_name": "$50", "price_cents": 5000, "bonus_cents": 500}
    await http.post("/v1/operator/topup-packs", headers=OPERATOR, json=pack)
    stripe.events.deliver = delivery_to(http, "stripe")
    page = person.page
    # The public address of the tests is no server's: the browser is led to the one that listens.
    await page.route(
        "http://switchboard.test/**",
        lambda route: route.fulfill(
            status=307,
            headers={
                "Location": route.request.url.replace("http://switchboard.test", person.address)
            },
        ),
    )
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/payments")
    left = page.locator("dl.figures")
    await expect(left).to_contain_text("$0.00")
    await page.get_by_role("button", name="$50.00 + $5.00 bonus").click()
    await page.get_by_label("Keep my card for automatic recharges").check()
    await person.presses("Go to the payment")
    await person.reads("Pay $50.00")
    await person.presses("Pay $50.00")
    await person.reads("Payments")
    await expect(left).to_contain_text("$55.00")
    await expect(page.locator("table", has_text="Method")).to_contain_text("Visa …4242")
    invoices = page.locator("table", has_text="Number")
    await expect(invoices).to_contain_text("$50.00")
    async with page.expect_download() as download:
        await invoices.get_by_role("link", name="PDF").click()
    assert (await (await download.value).path()).read_bytes().startswith(b"%PDF-")
    await enter_as_operator(person, "/console/operator/invoices")
    await person.presses("Void")
    await person.fills("Why", "Issued to the wrong company")
    await person.presses("Void it")
    await expect(page.locator("tbody tr").first).to_contain_text("Credit note")
    assert await person.sees_all_of_its_width()


async def test_in_india_a_top_up_and_a_mandate_are_paid_at_razorpays_hosted_page(
    person: Visitor,
    tenant: TenantClient,
    database: Database,
    http: httpx2.AsyncClient,
    razorpay: RazorpayWire,
) -> None:
    razorpay.events.deliver = delivery_to(http, "razorpay")
    page = person.page
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/payments")
    await person.fills("Country", "IN")
    await person.presses("Go to the payment")
    await person.reads("Pay ₹1600.00")
    await person.presses("Pay ₹1600.00")
    await person.reads("Payments")
    left = page.locator("dl.figures")
    await expect(left).to_contain_text("$20.00")
    await person.presses("Register a mandate")
    await person.keeps_a_picture("mandate")
    await person.fills("Phone number", "+919876543210")
    await page.get_by_role("dialog").get_by_role("button", name="Go to the payment").click()
    await person.reads("Pay ₹1600.00")
    await person.presses("Go back")
    await person.reads("Payments")
    await expect(page.get_by_text("Nothing was paid.")).to_be_visible()
    await person.presses("Register a mandate")
    await person.fills("Phone number", "+919876543210")
    await page.get_by_role("dialog").get_by_role("button", name="Go to the payment").click()
    await person.presses("Pay ₹1600.00")
    await expect(left).to_contain_text("$40.00")
    await expect(page.locator("table", has_text="Method")).to_contain_text("Razorpay")
    await expect(page.get_by_text("Your bank wants a mandate first")).to_be_hidden()
    assert await person.sees_all_of_its_width()
    await person.keeps_a_picture("payments-with-invoices")


async def test_the_invoice_of_a_plans_month_is_listed_and_cannot_be_voided(
    person: Visitor, tenant: TenantClient, database: Database, http: httpx2.AsyncClient
) -> None:
    plan = {"id": "growth", "display_name": "Growth", "monthly_credit_usd": 99}
    await http.post("/v1/operator/plans", headers=OPERATOR, json=plan)
    path = f"/v1/operator/tenants/{tenant.tenant_id}"
    await http.patch(path, headers=OPERATOR, json={"plan_id": "growth"})
    await renew_plan_credit(database, datetime.now(UTC), "INV")
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/payments")
    invoice = person.page.locator("table", has_text="Number").locator("tbody tr")
    for words in ("Plan cycle", "Issued", "$0.00"):
        await expect(invoice).to_contain_text(words)
    await enter_as_operator(person, "/console/operator/invoices")
    await expect(person.page.locator("tbody tr")).to_contain_text("Plan cycle")
    await expect(person.page.get_by_role("button", name="Void")).to_have_count(0)


async def test_automatic_recharge_and_methods_are_managed_in_the_page(
    person: Visitor, tenant: TenantClient, database: Database, stripe: StripeWire
) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/payments")
    await person.page.get_by_label("Recharge by itself").check()
    await person.fills("When less than", "30")
    await person.presses("Save")
    await expect(person.page.get_by_role("alert").last).not_to_be_empty()
    await person.fills("When less than", "10")
    await person.presses("Save")
    await expect(person.page.get_by_text("Automatic recharge is saved")).to_be_visible()
    shown = (await tenant.get("/v1/billing/auto-recharge")).json()
    assert (shown["enabled"], shown["threshold_usd"], shown["pack_usd"]) == (True, 10.0, 20.0)
    assert await person.sees_all_of_its_width()
