"""What a person does in the console, in windows of two widths."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from email.message import EmailMessage

import pytest
from playwright.async_api import Route, expect

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client
from tests.control_plane.identity.accounts.browsing import PASSWORD, token_in
from tests.runtime.until import until

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

Outbox = Callable[[], list[EmailMessage]]
EMAIL = "mia@example.com"


async def sign_up(person: Visitor, outbox: Outbox) -> None:
    await person.opens("/")
    await person.follows("Open an account")
    await person.fills("Company or team", "Bright Smiles")
    await person.fills("Mail address", EMAIL)
    await person.fills("Password", PASSWORD)
    await person.presses("Open the account")
    await person.reads("Look into your mailbox")
    mail = await person.context.new_page()
    await until(outbox)
    await mail.goto(f"{person.address}/confirm-email?token={token_in(outbox()[-1])}")
    await mail.get_by_role("button", name="Confirm").click()
    await expect(mail.get_by_role("status")).to_contain_text("is confirmed")
    await mail.close()
    await person.reads("Home")


async def test_from_sign_up_to_a_published_agent_in_the_list(
    person: Visitor, outbox: Outbox
) -> None:
    await sign_up(person, outbox)
    await person.follows("Create")
    await person.presses("Restaurant Takes table reservations")
    await person.presses("Create the agent")
    await expect(person.page.get_by_label("Company", exact=True)).to_have_value("Blue Harbor")
    assert await person.sees_all_of_its_width()
    await person.follows("Publish")
    await person.presses("Publish")
    await expect(person.page.get_by_text("Version 1 takes calls", exact=True)).to_be_visible()
    name = await person.page.locator("h1").inner_text()
    await person.opens("/console/agents")
    await expect(person.page.get_by_role("link", name=name)).to_be_visible()
    assert await person.sees_all_of_its_width()
    assert person.foreign_requests == []


async def test_a_change_is_saved_published_and_rolled_back(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(playbook={"opener": "Good day!"})
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens(f"/console/agents/{agent_id}")
    await person.fills("First sentence", "Good evening!")
    await expect(person.page.get_by_role("region", name="Prompt", exact=True)).to_contain_text(
        "Good evening!"
    )
    await person.presses("Save")
    await expect(person.page.get_by_text("Saved.")).to_be_visible()
    await person.follows("Publish")
    await person.presses("Publish")
    await expect(person.page.get_by_text("Version 2 takes calls", exact=True)).to_be_visible()
    await person.follows("Versions")
    await person.presses("Roll back")
    dialog = person.page.get_by_role("dialog")
    await dialog.get_by_label("Change the draft back, too").check()
    await dialog.get_by_role("button", name="Roll back").click()
    await expect(person.page.get_by_text("Version 3 takes calls", exact=True)).to_be_visible()
    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert agent["playbook"]["opener"] == "Good day!"


async def test_only_what_was_changed_is_sent(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens(f"/console/agents/{agent_id}")
    await person.fills("Role", "receptionist")
    async with person.page.expect_request(lambda request: request.method == "PATCH") as sent:
        await person.presses("Save")
    assert (await sent.value).post_data_json == {"persona": {"role": "receptionist"}}


async def test_a_second_click_does_nothing_before_the_first_ones_work_is_done(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    clicked = asyncio.Event()

    async def after_both_clicks(route: Route) -> None:
        await clicked.wait()
        await route.continue_()

    agent_id = await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{agent_id}")
    await person.page.route("**/clone", after_both_clicks)
    await person.page.get_by_role("button", name="Copy", exact=True).dblclick()
    clicked.set()
    await expect(person.page.get_by_text("This is the copy").first).to_be_visible()
    assert (await tenant.get("/v1/agents")).json()["total"] == 2


async def test_what_the_api_refuses_is_said_at_the_field(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens(f"/console/agents/{agent_id}")
    await person.page.get_by_text("Voice and models").click()
    await person.fills("Language", "no language")
    await person.presses("Save")
    language = person.page.get_by_label("Language", exact=True)
    await expect(language).to_have_attribute("aria-invalid", "true")
    await expect(language).to_be_focused()


async def test_markup_in_data_stays_text(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    name = "<img src=x onerror=alert(1)>"
    await tenant.agent(name=name)
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/agents")
    await expect(person.page.get_by_role("link", name=name)).to_be_visible()


async def test_a_deep_link_asks_for_the_log_in_and_goes_on(person: Visitor, outbox: Outbox) -> None:
    await sign_up(person, outbox)
    await person.opens("/console/members")
    if await person.page.get_by_role("button", name="Menu").is_visible():
        await person.presses("Menu")
    await person.presses("Log out")
    await person.reads("Log in")
    await person.opens("/console/account")
    await person.fills("Mail address", EMAIL)
    await person.fills("Password", "not the password")
    await person.presses("Log in")
    await expect(person.page.get_by_role("alert")).not_to_be_empty()
    await person.fills("Password", PASSWORD)
    await person.presses("Log in")
    await person.reads("Account")


async def test_what_is_typed_is_saved_when_the_person_logs_in_again_in_place(
    person: Visitor, outbox: Outbox
) -> None:
    await sign_up(person, outbox)
    await person.opens("/console/account")
    await person.fills("Your name", "Mia")
    await person.context.clear_cookies()
    await person.presses("Save the name")
    dialog = person.page.get_by_role("dialog", name="Log in again")
    await dialog.get_by_label("Password", exact=True).fill("not the password")
    await dialog.get_by_role("button", name="Log in", exact=True).click()
    await expect(dialog.get_by_role("alert")).not_to_be_empty()
    await dialog.get_by_label("Password", exact=True).fill(PASSWORD)
    await dialog.get_by_role("button", name="Log in", exact=True).click()
    await expect(person.page.get_by_text("Saved", exact=True)).to_be_visible()
    await expect(person.page.get_by_label("Your name", exact=True)).to_have_value("Mia")
    await expect(dialog).to_have_count(0)


async def test_who_does_not_log_in_again_comes_to_the_log_in(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/account")
    await person.context.clear_cookies()
    await person.presses("Save the name")
    await person.presses("Cancel")
    await person.reads("Log in")
    await expect(person.page).to_have_url(
        f"{person.address}/console/log-in?next=%2Fconsole%2Faccount"
    )


async def test_a_session_that_has_ended_is_logged_out_of_without_a_question(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/account")
    await person.context.clear_cookies()
    if await person.page.get_by_role("button", name="Menu").is_visible():
        await person.presses("Menu")
    await person.presses("Log out")
    await person.reads("Log in")
    await expect(person.page.get_by_role("dialog")).to_have_count(0)


async def test_a_new_key_is_shown_once(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/api-keys")
    await person.presses("New key")
    await person.fills("Name", "Website")
    await person.presses("Create the key")
    key = await person.page.get_by_label("Key", exact=True).input_value()
    assert key.startswith("sb_secret_")
    await person.presses("Done")
    await expect(person.page.get_by_text("Website")).to_be_visible()
    assert key not in await person.page.content()


async def test_members_see_no_page_that_only_administrators_may_use(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    member = await dashboard_client(tenant, database, "member")
    await person.has(member.token)
    await person.opens("/console/members")
    await expect(person.page.get_by_role("button", name="Invite")).to_be_hidden()
    await expect(person.page.locator("nav a", has_text="API keys")).to_have_count(0)


async def test_focus_moves_to_the_heading_of_a_new_page(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens("/console/agents")
    await person.follows("New agent")
    await person.reads("New agent")
    await expect(person.page.locator("h1")).to_be_focused()
    assert await person.page.title() == "New agent · Switchboard"
