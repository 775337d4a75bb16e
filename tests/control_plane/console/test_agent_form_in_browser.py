"""Every section of an agent's form changes what the API keeps."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

import pytest
from playwright.async_api import Dialog, Route, expect

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

TOOL = {
    "type": "call_webhook",
    "name": "find_tables",
    "description": "Finds free tables.",
    "url": "https://hooks.example.com/tables",
}
SCHEMA = {"type": "object", "properties": {"guests": {"type": "integer"}}}


@dataclass
class SlowSaves:
    """Changes of agents that are held back on their way to the API."""

    sent: asyncio.Event = field(default_factory=asyncio.Event)
    answered: asyncio.Event = field(default_factory=asyncio.Event)
    are_lost: bool = False

    async def hold(self, route: Route) -> None:
        if route.request.method != "PATCH":
            await route.continue_()
            return
        self.sent.set()
        await self.answered.wait()
        await (route.abort() if self.are_lost else route.continue_())


@pytest.fixture
async def slow_saves(person: Visitor) -> SlowSaves:
    saves = SlowSaves()
    await person.page.route("**/v1/agents/*", saves.hold)
    return saves


async def test_every_section_is_saved(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{agent_id}")
    page = person.page

    await person.fills("Company", "Blue Harbor")
    await person.presses("Add a question")
    await page.get_by_label("Question", exact=True).fill("For how many guests?")
    await person.presses("Add something to collect")
    await page.get_by_label("Name", exact=True).fill("guests")
    await person.presses("Add a reply")
    await person.fills("The caller says", "too expensive")
    await person.fills("The agent replies", "There is a lunch menu.")
    await page.get_by_text("Own instructions, limits").click()
    await page.get_by_label("What the language model reads").select_option("raw")
    await person.fills("Instructions", "You take reservations for Blue Harbor.")
    await page.get_by_text("Voice, languages, providers").click()
    await page.get_by_label("Voice", exact=True).select_option("hibari")
    await page.get_by_text("Interruptions, pauses, limits").click()
    await page.get_by_label("The caller can interrupt").uncheck()
    await person.fills("Pause before a reply, ms", "250")
    await page.get_by_text("Recording, summary, extraction").click()
    await page.get_by_label("Record calls").check()
    await person.fills("What is read from the transcript", json.dumps(SCHEMA))
    await page.get_by_text("What it can do besides talking").click()
    await person.fills("Tools", json.dumps([TOOL]))
    await person.presses("Save")
    await expect(page.get_by_text("Saved.")).to_be_visible()

    agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
    assert agent["persona"]["companyName"] == "Blue Harbor"
    assert agent["playbook"]["qualificationFlow"][0]["question"] == "For how many guests?"
    assert agent["playbook"]["requiredSlots"][0]["name"] == "guests"
    assert agent["playbook"]["objectionHandlers"][0]["trigger"] == "too expensive"
    assert agent["advanced"]["prompt_mode"] == "raw"
    assert agent["system_prompt"] == "You take reservations for Blue Harbor."
    assert agent["voice"] == "hibari"
    assert agent["persona"]["voiceConfig"]["bargeInEnabled"] is False
    assert agent["advanced"]["replyDelay"] == 250
    assert agent["features"]["recording_enabled"] is True
    assert agent["post_call"]["structured_extraction"]["json_schema"] == SCHEMA
    assert agent["tools"][0] | TOOL == agent["tools"][0]
    await expect(page.get_by_role("region", name="Prompt", exact=True)).to_contain_text(
        "You take reservations for Blue Harbor."
    )
    assert await person.sees_all_of_its_width()


async def test_going_back_asks_before_a_change_is_lost(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens("/console/agents")
    await person.follows("Reception")
    await person.reads("Reception")
    await person.fills("Company", "Blue Harbor")
    answers, asked = [False, True], list[str]()

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await (dialog.accept() if answers.pop(0) else dialog.dismiss())

    page = person.page
    page.on("dialog", answer)
    await page.evaluate("history.back()")
    await expect(page).to_have_url(f"{person.address}/console/agents/{agent_id}")
    await expect(page.get_by_label("Company", exact=True)).to_have_value("Blue Harbor")
    assert len(asked) == 1
    await page.evaluate("history.back()")
    await person.reads("Agents")
    assert asked == ["Leave the page? What you changed is not saved."] * 2


async def test_logging_out_asks_before_a_change_is_lost(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    owner = await dashboard_client(tenant, database, "owner")
    await person.has(owner.token)
    await person.opens(f"/console/agents/{agent_id}")
    await person.fills("Company", "Blue Harbor")
    answers, asked = [False, True], list[str]()

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await (dialog.accept() if answers.pop(0) else dialog.dismiss())

    page = person.page
    page.on("dialog", answer)
    if await page.get_by_role("button", name="Menu").is_visible():
        await person.presses("Menu")
    await person.presses("Log out")
    await expect(page.get_by_label("Company", exact=True)).to_have_value("Blue Harbor")
    assert (await owner.get("/v1/me")).status_code == 200
    await person.presses("Log out")
    await person.reads("Log in")
    assert asked == ["Leave the page? What you changed is not saved."] * 2
    assert (await owner.get("/v1/me")).status_code == 401


async def test_half_written_json_is_told_without_taking_the_keyboard_from_another_field(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    page = person.page
    await page.clock.install()
    await person.opens(f"/console/agents/{agent_id}")
    await page.get_by_text("What it can do besides talking").click()
    tools, company = (page.get_by_label(name, exact=True) for name in ("Tools", "Company"))
    await tools.fill('[{"type":')
    await company.fill("Blue Harbor")
    await page.clock.fast_forward(2000)
    await expect(page.get_by_text("Tools: this is not JSON.")).to_be_visible()
    await expect(company).to_be_focused()
    await page.get_by_text("What it can do besides talking").click()
    await expect(tools).to_be_hidden()
    await person.presses("Save")
    await expect(tools).to_be_focused()
    await expect(tools).to_have_attribute("aria-invalid", "true")
    await expect(page.get_by_text("This is not JSON: ")).to_be_visible()


async def test_a_save_that_is_done_later_takes_nothing_that_is_typed_on_another_page(
    person: Visitor, tenant: TenantClient, database: Database, slow_saves: SlowSaves
) -> None:
    await tenant.agent(name="Day")
    await tenant.agent(name="Night")
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    page = person.page
    await person.opens("/console/agents")
    await person.follows("Day")
    await person.fills("Company", "Blue Harbor")
    await person.presses("Save")
    await slow_saves.sent.wait()
    page.on("dialog", lambda dialog: dialog.accept())
    await page.evaluate("history.back()")
    await person.follows("Night")
    await person.reads("Night")
    await person.fills("Company", "Green Basket")
    slow_saves.answered.set()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await expect(page.get_by_label("Company", exact=True)).to_have_value("Green Basket")


async def test_nothing_can_be_typed_into_a_form_that_is_shown_again_when_it_is_saved(
    person: Visitor, tenant: TenantClient, database: Database, slow_saves: SlowSaves
) -> None:
    agent_id = await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    await person.opens(f"/console/agents/{agent_id}")
    page = person.page
    company = page.get_by_label("Company", exact=True)
    await company.fill("Blue Harbor")
    await page.keyboard.press("Enter")
    await slow_saves.sent.wait()
    await expect(company).not_to_be_focused()
    await page.keyboard.type(" GmbH")
    await expect(company).to_have_value("Blue Harbor")
    slow_saves.answered.set()
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await company.fill("Blue Harbor GmbH")


async def test_a_save_that_fails_after_the_person_has_left_is_told(
    person: Visitor, tenant: TenantClient, database: Database, slow_saves: SlowSaves
) -> None:
    await tenant.agent()
    await person.has((await dashboard_client(tenant, database, "owner")).token)
    page = person.page
    await person.opens("/console/agents")
    await person.follows("Reception")
    await person.fills("Company", "Blue Harbor")
    await person.presses("Save")
    await slow_saves.sent.wait()
    page.on("dialog", lambda dialog: dialog.accept())
    await page.evaluate("history.back()")
    await person.reads("Agents")
    slow_saves.are_lost = True
    slow_saves.answered.set()
    await expect(page.locator(".notice")).to_contain_text("Switchboard cannot be reached.")
