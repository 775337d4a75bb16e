"""A person opens the call page in a browser and talks to the agent.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` the pictures for the README are written there.
"""

from __future__ import annotations

import os
import wave
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.async_api import Page, async_playwright, expect

from switchboard.caller.speech_models import Voice
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.timeout(180)]

HZ = 48_000
LINES = {8.0: "Hi, I would like to book an appointment.", 16.0: "No, this is my first time."}
"""Second of the microphone's recording → what is said from then on."""

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--use-fake-device-for-media-stream",
]
ALLOW_MICROPHONE = "--use-fake-ui-for-media-stream"
ANSWER_MS = 20_000


@pytest.fixture(scope="module")
def microphone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A recording that Chromium's fake microphone plays, silent where nobody speaks."""
    voice = Voice()
    recording = np.zeros(40 * HZ, np.int16)
    for second, line in LINES.items():
        spoken = voice.speak(line).audio
        start = int(second * HZ)
        recording[start : start + len(spoken)] = spoken
    path = tmp_path_factory.mktemp("microphone") / "caller.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(HZ)
        file.writeframes(recording.tobytes())
    return path


@asynccontextmanager
async def opened_page(
    chromium: str, url: str, *arguments: str, init_script: str = "", **context_options: Any
) -> AsyncIterator[Page]:
    """The call page. Any error in its script fails the test."""
    faults: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, *arguments]
        )
        context = await browser.new_context(**context_options)
        await context.add_init_script(init_script)
        page = await context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.goto(url)
        yield page
        await browser.close()
    assert faults == []


async def loudest(page: Page, meter: str) -> float:
    """The highest level that a meter shows within two seconds, from 0 to 1."""
    level: float = await page.evaluate(
        """async (id) => {
            let loudest = 0;
            const until = performance.now() + 2000;
            while (performance.now() < until) {
                const { transform } = document.getElementById(id).style;
                const level = /scaleX\\(([\\d.]+)\\)/.exec(transform);
                loudest = Math.max(loudest, Number(level?.[1] ?? 0));
                await new Promise(requestAnimationFrame);
            }
            return loudest;
        }""",
        meter,
    )
    return level


async def hang_up(page: Page) -> None:
    """Press "End", and wait until the server knows. A browser closed first may not tell it."""
    async with page.expect_response(lambda response: response.request.method == "DELETE") as left:
        await page.get_by_role("button", name="End").click()
    assert (await left.value).ok
    await expect(page.get_by_role("status")).to_have_text("You ended the call")


async def keep_screenshot(page: Page, name: str) -> None:
    if directory := os.environ.get("SWITCHBOARD_SCREENSHOTS"):
        await page.screenshot(path=Path(directory) / name)


async def test_a_person_talks_to_the_agent_and_sees_what_is_said(
    chromium: str, switchboard: LiveSwitchboard, microphone: Path
) -> None:
    fake_microphone = f"--use-file-for-fake-audio-capture={microphone}%noloop"
    async with opened_page(
        chromium,
        switchboard.call_page,
        ALLOW_MICROPHONE,
        fake_microphone,
        viewport={"width": 1200, "height": 760},
    ) as page:
        await page.get_by_role("button", name="Start the call").click()
        said = page.locator("#transcript li[data-final=true]")

        await expect(said.first).to_contain_text("this is Mia", timeout=ANSWER_MS)
        await expect(said.first).to_have_attribute("data-speaker", "agent")
        await expect(page.get_by_role("heading", name="Bright Smile reception")).to_be_visible()
        await expect(said.filter(has_text="book an appointment")).to_have_attribute(
            "data-speaker", "user", timeout=ANSWER_MS
        )
        await expect(page.locator("body")).to_have_attribute("data-speaking", "agent")
        assert await loudest(page, "level-agent") > 0.2
        await expect(said.filter(has_text="been to our clinic")).to_contain_text(
            "answered in", timeout=ANSWER_MS
        )
        await expect(said.filter(has_text="first time")).to_be_visible(timeout=ANSWER_MS)
        await expect(said.filter(has_text="your name")).to_be_visible(timeout=ANSWER_MS)
        await keep_screenshot(page, "call-page.png")
        assert await page.locator("#elapsed").text_content() != "0:00"

        shown = await said.locator("span").all_text_contents()
        call_id = await page.locator("body").get_attribute("data-call")
        await hang_up(page)
        await expect(page.get_by_role("button", name="Call again")).to_be_visible()

    assert call_id is not None
    async with switchboard.api() as api:
        record = await ended_call(api, call_id)
    assert (record["status"], record["end_reason"]) == ("completed", "participant_disconnected")
    recorded = [each["text"] for each in record["transcript"]["segments"]]
    assert shown == recorded[: len(shown)]
    assert record["total_cost"] > 0


async def test_mute_silences_the_microphone_and_says_so(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    """Chromium's own fake microphone beeps once a second, which the meter shows."""
    async with opened_page(chromium, switchboard.call_page, ALLOW_MICROPHONE) as page:
        await page.get_by_role("button", name="Start the call").click()
        mute = page.get_by_role("button", name="Mute")
        await mute.click(timeout=ANSWER_MS)
        await expect(page.get_by_role("button", name="Unmute")).to_have_attribute(
            "aria-pressed", "true"
        )
        await page.wait_for_timeout(300)
        assert await loudest(page, "level-user") == 0
        await page.get_by_role("button", name="Unmute").click()
        assert await loudest(page, "level-user") > 0.2


async def test_a_refused_microphone_is_explained(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    denied = "--deny-permission-prompts"
    async with opened_page(
        chromium, switchboard.call_page, denied, viewport={"width": 390, "height": 844}
    ) as page:
        await page.get_by_role("button", name="Start the call").click()
        alert = page.get_by_role("alert")
        await expect(alert).to_contain_text("The microphone is blocked")
        await expect(alert).to_contain_text("allow the microphone for this site")
        await expect(page.get_by_role("button", name="Start the call")).to_be_enabled()


async def test_a_link_without_a_valid_key_is_explained(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    address = switchboard.call_page.split("#")[0]
    for link, words in (
        (address, "This link is not complete"),
        (f"{address}#key=sb_publishable_unknown", "key is not valid any more"),
    ):
        async with opened_page(chromium, link, ALLOW_MICROPHONE) as page:
            await page.get_by_role("button", name="Start the call").click()
            await expect(page.get_by_role("alert")).to_contain_text(words)


async def test_a_connection_that_cannot_be_made_is_explained(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    async with opened_page(chromium, switchboard.call_page, ALLOW_MICROPHONE) as page:
        await page.route("**/v1/rtc/**", lambda route: route.abort())
        await page.get_by_role("button", name="Start the call").click()
        await expect(page.get_by_role("alert")).to_contain_text("Switchboard cannot be reached")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1200, 760)])
async def test_nothing_is_cut_off_on_a_phone_or_a_laptop(
    chromium: str, switchboard: LiveSwitchboard, width: int, height: int, colours: str
) -> None:
    size = {"width": width, "height": height}
    async with opened_page(
        chromium, switchboard.call_page, ALLOW_MICROPHONE, viewport=size, color_scheme=colours
    ) as page:
        start = page.get_by_role("button", name="Start the call")
        await expect(start).to_be_in_viewport(ratio=1)
        await start.click()
        await expect(page.get_by_role("button", name="End")).to_be_in_viewport(
            ratio=1, timeout=ANSWER_MS
        )
        await expect(page.locator("#transcript li").first).to_be_visible(timeout=ANSWER_MS)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(overflow) <= 0
        await keep_screenshot(page, f"call-page-{width}-{colours}.png")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
async def test_after_the_call_its_outcome_is_shown_and_can_be_rated(
    chromium: str,
    switchboard: LiveSwitchboard,
    microphone: Path,
    width: int,
    height: int,
    colours: str,
) -> None:
    fake_microphone = f"--use-file-for-fake-audio-capture={microphone}%noloop"
    size = {"width": width, "height": height}
    async with opened_page(
        chromium,
        switchboard.call_page,
        ALLOW_MICROPHONE,
        fake_microphone,
        viewport=size,
        color_scheme=colours,
    ) as page:
        await expect(page.get_by_role("heading", name="Bright Smile reception")).to_be_visible()
        await keep_screenshot(page, f"before-{width}-{colours}.png")
        await page.get_by_role("button", name="Start the call").click()
        newest = page.locator("#transcript li").last
        await expect(page.locator("#transcript li").nth(1)).to_be_visible(timeout=2 * ANSWER_MS)
        await expect(newest).to_be_in_viewport(ratio=0.99)
        await keep_screenshot(page, f"during-{width}-{colours}.png")
        call_id = await page.locator("body").get_attribute("data-call")
        await hang_up(page)
        outcome = page.get_by_role("region", name="After the call")
        await expect(outcome.locator("#duration")).to_contain_text(" s", timeout=ANSWER_MS)
        await expect(outcome.locator("#summary")).not_to_contain_text(
            "being written", timeout=2 * ANSWER_MS
        )
        await expect(outcome.locator("#summary")).not_to_be_empty()
        await page.get_by_role("button", name="Good").click()
        await page.get_by_label("In a word, why?").fill("It knew the opening hours.")
        await page.get_by_role("button", name="Send").click()
        await expect(outcome).to_contain_text("It is saved.")
        await keep_screenshot(page, f"after-{width}-{colours}.png")
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(overflow) <= 0
    assert call_id is not None
    async with switchboard.api() as api:
        record = await ended_call(api, call_id)
    assert record["feedback"]["rating"] == "up"


async def test_a_bad_link_is_explained_before_anybody_calls(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    wrong = switchboard.call_page.replace("sb_publishable_", "sb_publishable_not")
    async with opened_page(chromium, wrong, viewport={"width": 390, "height": 844}) as page:
        await expect(page.get_by_role("alert")).to_contain_text("key is not valid any more.")
        await keep_screenshot(page, "bad-link-390.png")
