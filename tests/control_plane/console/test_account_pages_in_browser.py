"""What a person does about themselves, the other members and the account's keys."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from email.message import EmailMessage

import pytest
from aiohttp import web
from playwright.async_api import expect

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import DashboardClient, dashboard_client
from tests.control_plane.identity.accounts.browsing import PASSWORD, token_in
from tests.control_plane.linked import settings as linked_settings
from tests.runtime.until import until

__all__ = ["linked_settings"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

Outbox = Callable[[], list[EmailMessage]]
OTHER_PASSWORD = "an even better horse"
KEY = "sk-proj-abcdefgh-4321"


@dataclass
class Provider:
    """OpenAI, as far as keys are concerned."""

    status: int = 401

    async def answer(self, _request: web.Request) -> web.Response:
        return web.json_response({"data": []}, status=self.status)


@pytest.fixture
async def provider() -> Provider:
    return Provider()


@pytest.fixture
async def provider_url(provider: Provider) -> AsyncIterator[str]:
    server = web.Application()
    server.router.add_route("*", "/{path:.*}", provider.answer)
    runner = web.AppRunner(server, shutdown_timeout=0.1)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    await runner.cleanup()


@pytest.fixture
def settings(linked_settings: ControlPlaneSettings, provider_url: str) -> ControlPlaneSettings:
    return linked_settings.model_copy(update={"provider_base_urls": {"openai": provider_url}})


@pytest.fixture
async def owner(person: Visitor, tenant: TenantClient, database: Database) -> DashboardClient:
    """An owner, logged in in the person's browser."""
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    return owner


async def test_a_forgotten_password_is_replaced_through_a_mail(
    person: Visitor, tenant: TenantClient, database: Database, outbox: Outbox
) -> None:
    member = await dashboard_client(tenant, database, "member", email="mia@example.com")
    await person.opens("/console")
    await person.follows("Forgotten your password?")
    await person.fills("Mail address", member.email)
    await person.presses("Send the mail")
    await expect(person.page.get_by_text("on its way")).to_be_visible()
    await until(outbox)
    await person.page.goto(f"{person.address}/password-reset?token={token_in(outbox()[-1])}")
    await person.fills("New password", OTHER_PASSWORD)
    await person.presses("Set the password")
    await expect(person.page.get_by_role("status")).to_contain_text("Your new password is set")
    await person.follows("Open the console")
    await person.fills("Mail address", member.email)
    await person.fills("Password", OTHER_PASSWORD)
    await person.presses("Log in")
    await person.reads("Home")
    assert await person.sees_all_of_its_width()
    assert person.foreign_requests == []


async def test_a_person_of_several_tenants_changes_from_one_to_the_other(
    person: Visitor,
    tenant: TenantClient,
    other_tenant: TenantClient,
    database: Database,
    owner: DashboardClient,
) -> None:
    await dashboard_client(other_tenant, database, "member", email=owner.email)
    await other_tenant.agent(name="Of the other tenant")
    await person.opens("/console/agents")
    if await person.page.get_by_role("button", name="Menu").is_visible():
        await person.presses("Menu")
    choice = person.page.get_by_label("Tenant")
    await choice.select_option(str(other_tenant.tenant_id))
    await person.reads("Home")
    await person.opens("/console/agents")
    await expect(person.page.get_by_role("link", name="Of the other tenant")).to_be_visible()


async def test_a_member_is_invited_and_the_invitation_withdrawn(
    person: Visitor, owner: DashboardClient, outbox: Outbox
) -> None:
    await person.opens("/console/members")
    await person.presses("Invite")
    await person.fills("Mail address", "sam@example.com")
    await person.page.get_by_label("Role", exact=True).select_option("admin")
    await person.presses("Send the invitation")
    row = person.page.get_by_role("row").filter(has_text="sam@example.com")
    await expect(row).to_contain_text("Admin")
    assert outbox()[-1]["To"] == "sam@example.com"
    await person.presses("Withdraw")
    await expect(person.page.get_by_role("button", name="Withdraw")).to_have_count(0)
    assert await person.sees_all_of_its_width()


async def test_a_members_role_is_changed_and_the_member_removed(
    person: Visitor, tenant: TenantClient, database: Database, owner: DashboardClient
) -> None:
    member = await dashboard_client(tenant, database, "member")
    await person.opens("/console/members")
    await person.page.get_by_label(f"Role of {member.email}").select_option("admin")
    await expect(person.page.locator(".notice")).to_contain_text("is admin now")
    members = (await tenant.get("/v1/members")).json()["members"]
    assert [each["role"] for each in members if each["email"] == member.email] == ["admin"]
    row = person.page.get_by_role("row").filter(has_text=member.email)
    await row.get_by_role("button", name="Remove").click()
    await person.page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    await expect(row).to_have_count(0)


@pytest.mark.parametrize("key", ["Enter", "Tab"])
async def test_a_role_is_saved_when_it_is_chosen_and_not_at_each_step_of_the_arrow_keys(
    person: Visitor, tenant: TenantClient, database: Database, owner: DashboardClient, key: str
) -> None:
    member = await dashboard_client(tenant, database, "member")
    await person.opens("/console/members")
    sent: list[str] = []
    person.page.on("request", lambda request: sent.append(request.method))
    choice = person.page.get_by_label(f"Role of {member.email}")
    await choice.press("ArrowDown")
    await choice.press("ArrowDown")
    await expect(choice).to_have_value("owner")
    assert "PATCH" not in sent
    await choice.press(key)
    await expect(person.page.locator(".notice")).to_contain_text("is owner now")
    assert sent.count("PATCH") == 1


async def test_a_providers_key_is_kept_only_if_the_provider_accepts_it(
    person: Visitor, owner: DashboardClient, provider: Provider
) -> None:
    await person.opens("/console/provider-keys")
    openai = person.page.get_by_role("row").filter(has_text="OpenAI").first
    await expect(openai).to_contain_text("Not set")
    await openai.get_by_role("button", name="Set", exact=True).click()
    await person.fills("Key", KEY)
    await person.presses("Check and save")
    dialog = person.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("Check the key.")
    provider.status = 200
    await person.presses("Check and save")
    await expect(dialog).to_have_count(0)
    await expect(openai).to_contain_text(f"…{KEY[-4:]}")
    assert KEY not in await person.page.content()
    assert await person.sees_all_of_its_width()


async def test_other_sessions_are_ended(
    person: Visitor, tenant: TenantClient, database: Database, owner: DashboardClient
) -> None:
    other = await dashboard_client(tenant, database, "owner", email=owner.email)
    await person.opens("/console/account")
    await person.presses("End all others")
    await expect(person.page.get_by_role("button", name="End all others")).to_have_count(0)
    assert (await other.get("/v1/me")).status_code == 401
    assert (await owner.get("/v1/me")).status_code == 200


async def test_the_audit_log_tells_who_changed_what(
    person: Visitor, tenant: TenantClient, owner: DashboardClient
) -> None:
    agent_id = await tenant.published_agent()
    await owner.patch(f"/v1/agents/{agent_id}", {"name": "Front desk"})
    await person.opens("/console/audit-log")
    await person.fills("Action", "agent.updated")
    await person.page.keyboard.press("Enter")
    row = person.page.locator("tbody tr")
    await expect(row).to_have_count(1)
    await expect(row).to_contain_text(owner.email)
    await person.page.get_by_text("Show", exact=True).click()
    await expect(row.locator("pre")).to_contain_text('"name"')
    await expect(person.page).to_have_url(re.compile(r"\?action=agent\.updated$"))


async def test_the_password_is_changed_by_who_knows_it(person: Visitor, outbox: Outbox) -> None:
    await person.opens("/console/sign-up")
    await person.fills("Company or team", "Bright Smiles")
    await person.fills("Mail address", "ada@example.com")
    await person.fills("Password", PASSWORD)
    await person.presses("Open the account")
    await person.reads("Look into your mailbox")
    await until(outbox)
    await person.page.goto(f"{person.address}/confirm-email?token={token_in(outbox()[-1])}")
    await person.presses("Confirm")
    await person.follows("Open the console")
    await person.opens("/console/account")
    await person.fills("Password now", "not the password")
    await person.fills("New password", OTHER_PASSWORD)
    await person.presses("Set the password")
    await expect(person.page.get_by_label("Password now")).to_have_attribute("aria-invalid", "true")
    await person.fills("Password now", PASSWORD)
    await person.presses("Set the password")
    await expect(person.page.locator(".notice")).to_contain_text("Your new password is set")
