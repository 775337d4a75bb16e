"""A person's first quarter of an hour: sign up, make an agent, talk to it, and hear the call again.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` the pictures for the README are written there.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

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

EMAIL = "mia@bright-smiles.example"
RECORDED_SECONDS = 60.0
"""In which the recording's files are made after a call."""


@pytest.fixture
async def person(
    chromium: str, switchboard: LiveSwitchboard, microphone: Path
) -> AsyncIterator[Visitor]:
    """Somebody who speaks into the browser's microphone."""
    async with async_playwright() as playwright:
        fake_microphone = f"--use-file-for-fake-audio-capture={microphone}%noloop"
        chrome = await playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, ALLOW_MICROPHONE, fake_microphone]
        )
        async with visitor(chrome, switchboard.api_url, width=1280) as person:
            yield person
        await chrome.close()


async def _confirmed(person: Visitor, outbox: Path) -> None:
    """The mail is written after the answer to the sign-up."""
    async with asyncio.timeout(10):
        while not (  # noqa: ASYNC110 (the outbox is a folder)
            found := [mail for mail in mails_in(outbox) if mail["To"] == EMAIL]
        ):
            await asyncio.sleep(0.05)
    mail = await person.context.new_page()
    await mail.goto(f"{person.address}/confirm-email?token={token_in(found[0])}")
    await mail.get_by_role("button", name="Confirm").click()
    await expect(mail.get_by_role("status")).to_contain_text("is confirmed")
    await mail.close()


async def _recording_is_there(page: Page) -> None:
    async with asyncio.timeout(RECORDED_SECONDS):
        while not await page.locator("audio").count():
            await asyncio.sleep(1)
            await page.reload()
            await page.wait_for_load_state("networkidle")


async def test_a_person_makes_an_agent_talks_to_it_and_hears_the_call_again(
    person: Visitor, switchboard: LiveSwitchboard
) -> None:
    page = person.page
    await person.opens("/")
    await person.follows("Open an account")
    await person.fills("Company or team", "Bright Smiles")
    await person.fills("Mail address", EMAIL)
    await person.fills("Password", PASSWORD)
    await person.presses("Open the account")
    await person.reads("Look into your mailbox")
    await _confirmed(person, switchboard.data_dir / "outbox")
    await person.reads("Home")

    await person.follows("Create")
    await person.presses("Dentist Books visits")
    await person.presses("Create the agent")
    await expect(page.get_by_label("Company", exact=True)).to_have_value("Bright Smiles")
    await expect(page.get_by_role("region", name="Prompt", exact=True)).to_contain_text("Mia")
    await keep_screenshot(page, "console-agent.png")
    await page.get_by_text("Recording and after the call").click()
    await page.get_by_label("Record calls").check()
    await person.presses("Save")
    await expect(page.get_by_text("Saved.")).to_be_visible()
    await person.follows("Publish")
    await person.presses("Publish")
    await expect(page.get_by_text("Version 1 takes calls", exact=True)).to_be_visible()

    await person.follows("Talk")
    await person.presses("Start the call")
    frame = page.frame_locator("iframe")
    said = frame.locator("#transcript li[data-final=true]")
    await expect(said.first).to_contain_text("being recorded", timeout=ANSWER_MS)
    await expect(said.filter(has_text="Bright Smiles")).to_be_visible(timeout=ANSWER_MS)
    await expect(said.filter(has_text="book an appointment")).to_have_attribute(
        "data-speaker", "user", timeout=ANSWER_MS
    )
    await expect(said.nth(3)).to_have_attribute("data-speaker", "agent", timeout=ANSWER_MS)
    await frame.get_by_role("button", name="End").click()
    await expect(frame.get_by_role("status")).to_have_text("You ended the call")

    await person.follows("Read this call")
    await expect(page.get_by_text("book an appointment")).to_be_visible(timeout=ANSWER_MS)
    await _recording_is_there(page)
    await page.get_by_role("button", name="Play from").nth(1).click()
    heard_at_seconds: float = await page.locator("audio").evaluate("sound => sound.currentTime")
    assert heard_at_seconds > 1
    await keep_screenshot(page, "console-call.png")
    assert person.foreign_requests == []
