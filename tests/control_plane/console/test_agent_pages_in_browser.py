"""What a person does with one agent besides changing it."""

from __future__ import annotations

import pytest
from playwright.async_api import expect

from control_plane.platform.database import Database
from tests.control_plane.calling.chat_sessions.chatting import CLINIC
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.visitor import Visitor
from tests.control_plane.dashboard import dashboard_client

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]


async def owner_of(tenant: TenantClient, person: Visitor, database: Database) -> None:
    await person.has((await dashboard_client(tenant, database, "owner")).token)


async def test_a_chat_says_what_a_call_would_until_the_agent_ends_it(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}/chat")
    await person.presses("Start the chat")
    said = person.page.get_by_role("list", name="Conversation").locator("li")
    await expect(said).to_have_count(1)
    await expect(said.first).to_contain_text("this is Mia")
    for line in ("I need an appointment.", "Ada Lovelace", "212 555 0142", "Yes."):
        before = await said.count()
        await person.fills("Your message", line)
        await person.page.keyboard.press("Enter")
        await expect(said).to_have_count(before + 2)
    await expect(person.page.locator(".facts").first).to_contain_text("Ada Lovelace")
    await expect(person.page.get_by_label("Your message")).to_be_focused()
    await person.fills("Your message", "No, thank you. Goodbye.")
    await person.presses("Send")
    await expect(person.page.get_by_text("The agent has ended the chat.")).to_be_visible()
    assert await person.sees_all_of_its_width()
    await person.presses("Chat again")
    await expect(person.page.get_by_role("button", name="Start the chat")).to_be_visible()


async def test_an_unpublished_agent_can_be_chatted_with(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent(**CLINIC)
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}/chat")
    await expect(person.page.get_by_label("Chat with").locator("option")).to_have_count(1)
    await person.presses("Start the chat")
    await expect(person.page.get_by_role("list", name="Conversation")).to_contain_text("Mia")


async def test_a_message_that_gets_no_answer_stays_to_be_sent_again(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}/chat")
    await person.presses("Start the chat")
    await person.fills("Your message", "Are you open?")
    await person.context.set_offline(True)
    await person.presses("Send")
    await expect(person.page.get_by_role("alert")).to_contain_text("cannot be reached")
    await expect(person.page.get_by_label("Your message")).to_have_value("Are you open?")
    await expect(person.page.get_by_role("list", name="Conversation").locator("li")).to_have_count(
        1
    )
    await person.context.set_offline(False)
    await person.presses("Send")
    await expect(person.page.get_by_role("list", name="Conversation")).to_contain_text(
        "nine to five"
    )


async def test_any_two_versions_can_be_compared(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(playbook={"opener": "Good day!"})
    for opener in ("Good evening!", "Good night!"):
        await tenant.request(
            "PATCH", f"/v1/agents/{agent_id}", json={"playbook": {"opener": opener}}
        )
        assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).is_success
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}/versions")
    await person.page.get_by_role("button", name="Compare").last.click()
    dialog = person.page.get_by_role("dialog")
    await expect(dialog.locator("del")).to_contain_text("Good day!")
    await expect(dialog.locator("ins")).to_contain_text("Good night!")
    await dialog.get_by_label("To").select_option("2")
    await expect(dialog.locator("ins")).to_contain_text("Good evening!")
    await dialog.get_by_label("From").select_option("2")
    await expect(dialog.get_by_text("They are the same.")).to_be_visible()


async def test_voices_can_be_heard_before_a_call(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}")
    await person.page.get_by_text("Voice and models").click()
    voice = person.page.get_by_label("Voice", exact=True)
    await voice.select_option("hibari")
    async with person.page.expect_response("**/console/static/voices/hibari.ogg") as heard:
        await person.presses("Listen")
    assert (await heard.value).ok
    await expect(person.page.get_by_role("button", name="Stop")).to_be_visible()
    await voice.select_option("alloy")
    await expect(person.page.get_by_role("button", name="Stop")).to_be_hidden()
    await person.presses("Listen")
    await expect(person.page.get_by_text("To hear voices of openai")).to_be_visible()


async def test_an_agent_that_can_follow_little_is_published_only_by_who_accepts_that(
    person: Visitor, tenant: TenantClient, database: Database
) -> None:
    rules = "Upsell the whitening package.\nRoll a die first.\nEscalate after three attempts.\n"
    agent_id = await tenant.agent(system_prompt=rules, persona={"name": "Mia"})
    await owner_of(tenant, person, database)
    await person.opens(f"/console/agents/{agent_id}/publish")
    await expect(person.page.locator(".findings .blocker")).to_contain_text("Roll a die first.")
    await person.presses("Publish")
    await expect(person.page.get_by_text("Not published yet", exact=True)).to_be_visible()
    await person.page.get_by_label("Publish it as it is").check()
    await person.presses("Publish")
    await expect(person.page.get_by_text("Version 1 takes calls", exact=True)).to_be_visible()
