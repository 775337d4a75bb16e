"""A person's first quarter of an hour, on a desk and on a phone: sign up, make an agent, chat and
talk with it, hear the call again, change the agent and take the change back.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` the pictures for the README are written there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Page, async_playwright, expect

from tests.control_plane.console.visitor import Visitor, visitor
from tests.control_plane.identity.accounts.browsing import PASSWORD, mails_in, token_in
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.test_call_page import (
    ALLOW_MICROPHONE,
    ANSWER_MS,
    ARGUMENTS,
    keep_screenshot,
    microphone,
)

__all__ = ["microphone"]

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.timeout(240)]

WIDE, NARROW = 1280, 390
RECORDED_SECONDS = 60.0
"""In which the recording's files are made after a call."""


@pytest.fixture(params=[WIDE, NARROW], ids=["wide", "narrow"])
async def person(
    request: pytest.FixtureRequest, chromium: str, switchboard: LiveSwitchboard, microphone: Path
) -> AsyncIterator[Visitor]:
    """Somebody who speaks into the browser's microphone."""
    async with async_playwright() as playwright:
        fake_microphone = f"--use-file-for-fake-audio-capture={microphone}%noloop"
        chrome = await playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, ALLOW_MICROPHONE, fake_microphone]
        )
        async with visitor(chrome, switchboard.api_url, width=request.param) as person:
            yield person
        await chrome.close()


async def _confirmed(person: Visitor, email: str, outbox: Path) -> None:
    """The mail is written after the answer to the sign-up."""
    async with asyncio.timeout(10):
        while not (  # noqa: ASYNC110 (the outbox is a folder)
            found := [mail for mail in mails_in(outbox) if mail["To"] == email]
        ):
            await asyncio.sleep(0.05)
    mail = await person.context.new_page()
    await mail.goto(f"{person.address}/confirm-email?token={token_in(found[0])}")
    await mail.get_by_role("button", name="Confirm").click()
    await expect(mail.get_by_role("status")).to_contain_text("is confirmed")
    await mail.close()


async def _picture(person: Visitor, name: str) -> None:
    """For the README."""
    if person.page.viewport_size == {"width": WIDE, "height": 800}:
        await keep_screenshot(person.page, name)


async def _recording_is_there(page: Page) -> None:
    async with asyncio.timeout(RECORDED_SECONDS):
        while not await page.locator("audio").count():
            await asyncio.sleep(1)
            await page.reload()
            await page.wait_for_load_state("networkidle")


async def _signs_up(person: Visitor, outbox: Path) -> None:
    email = f"mia-{uuid4().hex[:8]}@bright-smiles.example"
    await person.opens("/")
    await person.follows("Open an account")
    await person.fills("Company or team", "Bright Smiles")
    await person.fills("Mail address", email)
    await person.fills("Password", PASSWORD)
    await person.presses("Open the account")
    await person.reads("Look into your mailbox")
    await _confirmed(person, email, outbox)
    await person.reads("Home")


async def _makes_an_agent_from_a_template(person: Visitor) -> None:
    page = person.page
    await person.follows("Create")
    await person.presses("Dentist Books visits")
    await person.presses("Create the agent")
    await expect(page.get_by_label("Company", exact=True)).to_have_value("Bright Smiles")
    await expect(page.get_by_role("region", name="Prompt", exact=True)).to_contain_text("Mia")
    await _picture(person, "console-agent.png")
    await page.get_by_text("Recording and after the call").click()
    await page.get_by_label("Record calls").check()
    await person.presses("Save")
    await expect(page.get_by_text("Saved.")).to_be_visible()


async def _publishes(person: Visitor, version: int) -> None:
    await person.follows("Publish")
    await person.presses("Publish")
    await expect(
        person.page.get_by_text(f"Version {version} takes calls", exact=True)
    ).to_be_visible()


async def _chats(person: Visitor) -> None:
    await person.follows("Chat")
    await person.presses("Start the chat")
    said = person.page.get_by_role("list", name="Conversation").locator("li")
    await expect(said.first).to_contain_text("Bright Smiles")
    await person.fills("Your message", "I would like to book an appointment.")
    await person.presses("Send")
    await expect(said).to_have_count(3)


async def _talks(person: Visitor) -> None:
    await person.follows("Talk")
    await person.presses("Start the call")
    frame = person.page.frame_locator("iframe")
    said = frame.locator("#transcript li[data-final=true]")
    await expect(said.first).to_contain_text("being recorded", timeout=ANSWER_MS)
    await expect(said.filter(has_text="Bright Smiles")).to_be_visible(timeout=ANSWER_MS)
    await expect(said.filter(has_text="book an appointment")).to_have_attribute(
        "data-speaker", "user", timeout=ANSWER_MS
    )
    await expect(said.nth(3)).to_have_attribute("data-speaker", "agent", timeout=ANSWER_MS)
    await frame.get_by_role("button", name="End").click()
    await expect(frame.get_by_role("status")).to_have_text("You ended the call")


async def _hears_the_call_again(person: Visitor) -> None:
    page = person.page
    await person.follows("Read this call")
    await expect(page.locator(".said", has_text="book an appointment")).to_be_visible(
        timeout=ANSWER_MS
    )
    await _recording_is_there(page)
    await page.get_by_role("button", name="Play from").nth(1).click()
    heard_at_seconds: float = await page.locator("audio").evaluate("sound => sound.currentTime")
    assert heard_at_seconds > 1
    await page.get_by_text("Where it comes from").click()
    await expect(page.get_by_text("Transaction")).to_be_visible()
    await _picture(person, "console-call.png")


async def _changes_the_agent_and_takes_it_back(person: Visitor) -> None:
    page = person.page
    await person.follows("Agent")
    opener = page.get_by_label("First sentence", exact=True)
    before = await opener.input_value()
    await opener.fill("Good evening, Bright Smiles.")
    await person.presses("Save")
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await _publishes(person, 2)
    await person.follows("Versions")
    await person.presses("Roll back")
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Change the draft back, too").check()
    await dialog.get_by_role("button", name="Roll back").click()
    await expect(page.get_by_text("Version 3 takes calls", exact=True)).to_be_visible()
    await person.follows("Configure")
    await expect(opener).to_have_value(before)


async def test_a_persons_first_quarter_of_an_hour(
    person: Visitor, switchboard: LiveSwitchboard
) -> None:
    await _signs_up(person, switchboard.data_dir / "outbox")
    await _makes_an_agent_from_a_template(person)
    await _publishes(person, 1)
    await _chats(person)
    await _talks(person)
    await _hears_the_call_again(person)
    await _changes_the_agent_and_takes_it_back(person)
    assert await person.sees_all_of_its_width()
    assert person.foreign_requests == []
