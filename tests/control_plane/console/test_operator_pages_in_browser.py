"""What the operator sees and does in the console."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Route, expect

from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.free_worker import WORKER_ID, note_free_worker

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

TOKEN = OPERATOR["Authorization"].removeprefix("Bearer ")


async def enter(person: Visitor, path: str = "/console/operator") -> None:
    await person.opens(path)
    await person.fills("Operator's token", TOKEN)
    await person.presses("Open")
    await expect(person.page.get_by_role("navigation", name="Operator")).to_be_visible()


async def test_a_wrong_token_opens_nothing(person: Visitor) -> None:
    await person.opens("/console/operator")
    await person.fills("Operator's token", "a guess")
    await person.presses("Open")
    await expect(person.page.get_by_role("alert")).not_to_be_empty()
    await expect(person.page.get_by_role("navigation", name="Operator")).to_have_count(0)


async def test_the_workers_and_the_switch_of_new_calls(
    person: Visitor, tenant: TenantClient, valkey_url: str
) -> None:
    note_free_worker(valkey_url, slots=12)
    await enter(person)
    worker = person.page.get_by_role("row").filter(has_text=WORKER_ID)
    await expect(worker).to_contain_text("0 of 12")
    await person.fills("What callers are told", "Maintenance until 18:00 UTC.")
    await person.presses("Stop new calls")
    await person.presses("Take new calls again")
    await expect(person.page.get_by_role("button", name="Stop new calls")).to_be_visible()
    assert await person.sees_all_of_its_width()
    assert person.foreign_requests == []


async def test_a_tenant_is_found_and_gets_credit(person: Visitor, tenant: TenantClient) -> None:
    before = (await tenant.get("/v1/billing/balance")).json()["balance_usd"]
    await enter(person, "/console/operator/tenants")
    await person.fills("Name, member's mail address or id", str(tenant.tenant_id))
    await person.page.keyboard.press("Enter")
    row = person.page.locator("tbody tr")
    await expect(row).to_have_count(1)
    await row.get_by_role("button", name="Credit").click()
    await person.fills("US dollars", "12.5")
    await person.fills("What for", "Goodwill")
    await person.presses("Give the credit")
    await expect(person.page.locator(".notice")).to_contain_text("now")
    after = (await tenant.get("/v1/billing/balance")).json()["balance_usd"]
    assert after - before == pytest.approx(12.5)


async def test_credit_whose_answer_is_lost_is_given_once_though_it_is_sent_again(
    person: Visitor, tenant: TenantClient
) -> None:
    async def is_lost(route: Route) -> None:
        await route.fetch()
        await route.abort()

    before = (await tenant.get("/v1/billing/balance")).json()["balance_usd"]
    await enter(person, f"/console/operator/tenants?search={tenant.tenant_id}")
    await person.page.route("**/credits", is_lost, times=1)
    await person.presses("Credit")
    await person.fills("US dollars", "12.5")
    await person.fills("What for", "Goodwill")
    await person.presses("Give the credit")
    await expect(person.page.get_by_text("Switchboard cannot be reached.")).to_be_visible()
    await person.presses("Give the credit")
    await expect(person.page.locator(".notice")).to_contain_text("now")
    after = (await tenant.get("/v1/billing/balance")).json()["balance_usd"]
    assert after - before == pytest.approx(12.5)


async def test_what_comes_of_a_dialog_that_was_closed_while_it_was_sent_is_told(
    person: Visitor, tenant: TenantClient
) -> None:
    is_closed = asyncio.Event()

    async def is_slow(route: Route) -> None:
        await is_closed.wait()
        await route.continue_()

    await enter(person, f"/console/operator/tenants?search={tenant.tenant_id}")
    await person.page.route("**/credits", is_slow)
    await person.presses("Credit")
    await person.fills("US dollars", "12.5")
    await person.fills("What for", "Goodwill")
    async with person.page.expect_request("**/credits"):
        await person.presses("Give the credit")
    await person.presses("Cancel")
    await expect(person.page.get_by_role("dialog")).to_have_count(0)
    is_closed.set()
    await expect(person.page.locator(".notice")).to_contain_text("now")


async def test_a_model_is_switched_off_and_on(person: Visitor, tenant: TenantClient) -> None:
    await enter(person, "/console/operator/catalogue")
    espeak = person.page.locator("tbody tr").filter(has_text="eSpeak NG")
    await espeak.get_by_role("button", name="Switch off").click()
    switch_on = espeak.get_by_role("button", name="Switch on")
    await expect(switch_on).to_be_visible()
    models = (await tenant.get("/v1/agents/llm-options")).json()["models"]
    assert "espeak" not in [each["model_id"] for each in models]
    await switch_on.click()
    await expect(espeak.get_by_role("button", name="Switch off")).to_be_visible()


async def test_a_new_price_replaces_the_one_that_holds(
    person: Visitor, tenant: TenantClient
) -> None:
    await enter(person, "/console/operator/prices")
    fee = person.page.locator("tbody tr").filter(has_text="Platform's fee")
    await expect(fee).to_have_count(1)
    await fee.get_by_role("button", name="Change").click()
    await person.fills("US dollars a minute", "0.0321")
    await person.presses("Set the price")
    await expect(fee).to_contain_text("0.0321")
    await expect(fee).to_have_count(1)


async def test_plans_amounts_and_taxes_are_offered_and_ended(
    person: Visitor, tenant: TenantClient
) -> None:
    page = person.page
    await enter(person, "/console/operator/offers")
    await person.presses("Add a plan")
    await person.fills("Name", "Growth")
    await person.fills("Id", "Growth!")
    await person.fills("US dollars of credit a month", "99")
    await person.presses("Add the plan")
    await expect(page.get_by_text("Some fields are not right yet.")).to_be_visible()
    await person.fills("Id", "growth")
    await person.presses("Add the plan")
    await expect(page.locator("tbody tr").filter(has_text="Growth")).to_contain_text("$99.00")

    await person.presses("Offer an amount")
    await person.fills("Name", "Fifty")
    await person.fills("Price in US dollars", "50")
    await person.fills("Bonus in US dollars", "2.50")
    await person.presses("Offer it")
    pack = page.locator("tbody tr").filter(has_text="Fifty")
    await expect(pack).to_contain_text("$2.50")
    owned = (await tenant.http.get("/v1/operator/topup-packs", headers=OPERATOR)).json()["packs"]
    assert [(each["price_cents"], each["bonus_cents"]) for each in owned] == [(5000, 250)]
    await pack.get_by_role("button", name="Withdraw").click()
    await page.get_by_role("dialog").get_by_role("button", name="Withdraw").click()
    await expect(pack).to_have_count(0)

    await person.presses("Add a tax")
    await person.fills("Country", "DE")
    await person.fills("Name", "VAT")
    await person.fills("Percent", "19")
    await person.presses("Add the tax")
    await expect(page.locator("tbody tr").filter(has_text="VAT")).to_contain_text("19")
    assert await person.sees_all_of_its_width()


async def test_a_correction_is_posted_with_its_reason(
    person: Visitor, tenant: TenantClient
) -> None:
    await enter(person, f"/console/operator/tenants?search={tenant.tenant_id}")
    await person.presses("Correct")
    await person.fills("US dollars", "-1.25")
    await person.fills("Why", "Posted twice")
    await person.fills("Decided by", "mia@voice.example")
    await person.presses("Post the correction")
    await expect(person.page.locator(".notice")).to_contain_text("now")
    entries = (await tenant.get("/v1/billing/transactions")).json()["transactions"]
    assert [(each["transaction_type"], each["amount_usd"]) for each in entries[:1]] == [
        ("correction", -1.25)
    ]


async def test_the_margin_is_shown_by_what_the_operator_chooses(person: Visitor) -> None:
    await enter(person, "/console/operator/margin")
    await person.page.get_by_label("By", exact=True).select_option("Model")
    await expect(person.page).to_have_url(re.compile(r"by=model"))
    await expect(person.page.get_by_text("Revenue $0.00")).to_be_visible()
    assert await person.sees_all_of_its_width()


async def test_the_token_is_forgotten_when_the_page_is_loaded_again(person: Visitor) -> None:
    await enter(person)
    await person.page.reload()
    await expect(person.page.get_by_label("Operator's token")).to_be_visible()
