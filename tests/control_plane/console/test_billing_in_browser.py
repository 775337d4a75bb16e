"""What a person reads about money, and what an admin can change there."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import pytest
from playwright.async_api import expect

from control_plane.calling.calls.events.consumer import EventConsumer
from control_plane.money.spend_alerts.tasks import watch_spending
from control_plane.platform.database import Database
from tests.control_plane.building.catalogue.costs import charge_for_the_playbook
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.conversation import call_of, catch_up, running_call
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.fake_worker import FakeWorker
from tests.control_plane.money.billing.test_billing_api import charges_of_a_week

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


async def test_money_is_shown_from_the_balance_down_to_the_prices_behind_a_charge(
    person: Visitor,
    tenant: TenantClient,
    worker: FakeWorker,
    consumer: EventConsumer,
    database: Database,
) -> None:
    await charge_for_the_playbook(database)
    wanted = {"thresholds_usd": [0.01], "low_balance_pct": 0, "email_enabled": False}
    await tenant.request("PUT", "/v1/billing/alerts", json=wanted)
    plan = await running_call(tenant, worker, consumer)
    await worker.end(plan, 60_000)
    await catch_up(consumer)
    await watch_spending(database, datetime.now(UTC))

    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/billing")
    page = person.page
    await expect(page.get_by_role("heading", name="Billing")).to_be_visible()
    await expect(page.get_by_text("Credit left")).to_be_visible()
    assert await person.sees_all_of_its_width()

    lasts = page.locator("dl.figures div", has_text="Lasts")
    await expect(lasts).to_contain_text("Known after seven days with calls in a row")
    await charges_of_a_week(tenant, database, 100_000)
    await person.opens("/console/billing")
    days = (await tenant.get("/v1/billing/balance")).json()["runway_days_estimate"]
    await expect(lasts).to_contain_text(f"About {days:g} days")

    call = await call_of(tenant, plan)
    spending = page.locator("section", has=page.get_by_role("heading", name="Spending"))
    cells = spending.last.locator("tbody td")
    figures = ["1", "1", f"${call['total_cost']:g}"]
    [day] = (await tenant.get("/v1/billing/spend?by=day")).json()["groups"]
    await expect(cells).to_have_text([day["key"], *figures])
    await page.get_by_role("link", name="By agent").click()
    await expect(cells).to_have_text(["Reception", *figures])
    agent = spending.last.get_by_role("link", name="Reception")
    await expect(agent).to_have_attribute("href", f"/console/agents/{call['agent_id']}")
    await page.get_by_role("link", name="By model").click()
    await expect(spending.last).to_contain_text("llm local playbook")

    await page.get_by_role("button", name="Mark as seen").click()
    await expect(page.get_by_text("Seen", exact=True)).to_be_visible()
    await page.get_by_role("button", name="Stop at the included credit").click()
    await expect(page.get_by_role("button", name="Go on to top-up credit")).to_be_visible()

    await page.get_by_role("link", name=re.compile("Call, 60 seconds")).click()
    await page.get_by_text("Where it comes from").click()
    await expect(page.get_by_text(str(plan.prices[0].price_id)).first).to_be_visible()
