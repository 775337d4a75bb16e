"""Somebody shares an agent in the console: with a public link, and with testers."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import expect

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


async def test_a_public_link_is_made_limited_switched_off_and_renewed(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{agent_id}/sharing")
    page = person.page
    await person.presses("Make a public link")
    link = page.locator("section", has=page.get_by_role("heading", name="Public link")).last
    address = link.get_by_role("link")
    first = await address.get_attribute("href")
    await person.fills("Minutes for all visitors together", "45")
    await person.fills("Longest call, in seconds", "30")
    await person.presses("Save")
    await person.fills("Longest call, in seconds", "90")
    await person.presses("Save")
    await expect(page.get_by_text("The link is saved")).to_be_visible()
    await expect(link.locator("dl")).to_contain_text("45")
    await person.presses("New address")
    await page.get_by_role("dialog").get_by_role("button", name="New address").click()
    await expect(address).not_to_have_attribute("href", str(first))
    await person.presses("Switch off")
    await expect(link).to_contain_text("Off")
    stored = (await tenant.get(f"/v1/agents/{agent_id}/share-link")).json()["link"]
    assert (stored["enabled"], stored["minutes_limit"], stored["max_call_seconds"]) == (
        False,
        45,
        90,
    )
    assert await person.sees_all_of_its_width()
    await person.keeps_a_picture("sharing")


async def test_a_tester_is_invited_gets_minutes_and_is_revoked(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{agent_id}/sharing")
    page = person.page
    await person.presses("Invite a tester")
    await person.fills("Mail address", "noah@example.com")
    await person.fills("Ends on", "2020-01-01")
    await person.presses("Send the invitation")
    await expect(page.get_by_role("dialog").get_by_role("alert")).not_to_be_empty()
    await person.fills("Ends on", "2099-01-01")
    await person.presses("Send the invitation")
    row = page.locator("tbody tr").filter(has_text="noah@example.com")
    await expect(row).to_contain_text("0 of 15")
    await row.get_by_role("button", name="Change").click()
    await person.fills("Minutes at your cost", "30")
    await page.get_by_role("dialog").get_by_role("button", name="Save").click()
    await expect(row).to_contain_text("0 of 30")
    await expect(row).to_contain_text(re.compile("2099|2098"))
    await row.get_by_role("button", name="Revoke").click()
    await page.get_by_role("dialog").get_by_role("button", name="Revoke").click()
    await expect(row).to_have_count(0)
    assert await person.sees_all_of_its_width()
