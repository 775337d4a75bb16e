"""axe-core looks at the call page in each of its states, in both colours and both widths.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures of the states are written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Page, expect

from tests.control_plane.calling.call_page.test_call_page_in_browser import (
    ORIGIN,
    SAY,
    WAIT_MS,
    PlayedApi,
    api,
    is_live,
    is_refused,
    page,
    start_the_call,
)
from tests.control_plane.console.axe import axe, serious_violations

__all__ = ["api", "axe", "page"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

LONG_NAME = "Reception of the Donaudampfschifffahrtsgesellschaft, evenings and weekends"
SUMMARY = "Ada asked for an appointment on Monday at nine and left her number. Nothing is open."


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
async def test_no_state_of_a_call_keeps_anybody_out(
    page: Page,
    api: PlayedApi,
    axe: str,
    colours: Literal["light", "dark"],
    width: int,
    height: int,
) -> None:
    found: dict[str, list[str]] = {}

    async def look(state: str) -> None:
        if violations := await serious_violations(page, axe):
            found[state] = violations
        if directory := os.environ.get("SWITCHBOARD_SCREENSHOTS"):
            await page.screenshot(path=Path(directory) / f"call {state}-{colours}-{width}.png")

    api.card = {"name": LONG_NAME}
    api.joined["agent"] = {"name": LONG_NAME}
    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(color_scheme=colours)
    api.card_status = 401
    await page.reload()
    await is_refused(page, "This link's key is not valid any more.")
    await look("refused")
    api.card_status = 200
    await page.reload()
    await expect(page.get_by_role("heading", name=LONG_NAME)).to_be_visible(timeout=WAIT_MS)
    await look("before")
    await start_the_call(page)
    await is_live(page)
    await page.evaluate(SAY, 7)
    await look("live")
    await page.get_by_role("button", name="End").click()
    outcome = page.get_by_role("region", name="After the call")
    await expect(outcome).to_be_visible()
    api.joined |= {
        "ended_at": "2026-01-05T09:30:00Z",
        "duration_seconds": 64.6,
        "intelligence_status": "completed",
        "summary": SUMMARY,
        "recording": {
            "status": "completed",
            "metadata": {
                "stereo_mix": None,
                "stereo_mix_ogg": {"signed_url": f"{ORIGIN}/v1/recordings/1/mix.ogg?token=1"},
            },
        },
    }
    await page.clock.run_for(2_500)
    await expect(outcome).to_contain_text(SUMMARY)
    await page.get_by_role("button", name="Bad").click()
    await page.get_by_label("In a word, why?").wait_for()
    await look("after")
    assert found == {}
