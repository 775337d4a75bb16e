"""The page of a public link in each of its states, in both colours and both widths.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures of the states are written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Page, Request, Route, expect

from control_plane.calling.call_page.routes import STATIC
from tests.control_plane.calling.call_page.test_call_page_in_browser import (
    CALL_ID,
    ORIGIN,
    WAIT_MS,
    PlayedApi,
    api,
    is_live,
    page,
    start_the_call,
)
from tests.control_plane.console.axe import axe, serious_violations

__all__ = ["api", "axe", "page"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

AGENT: dict[str, Any] = {
    "state": "ready",
    "name": "Mia",
    "role": "receptionist",
    "company_name": "Harbour Dental",
    "about": "A dental practice at the harbour, open from Monday to Saturday.",
    "minutes_remaining": 12,
    "max_call_seconds": 300,
    "is_recorded": True,
    "asks_consent": True,
    "minutes_requested": False,
}


class PlayedLink:
    """Answers for a public link; the rest is answered by ``PlayedApi``."""

    def __init__(self, api: PlayedApi) -> None:
        self._api = api
        self.agent = dict(AGENT)
        self.refusal: tuple[int, str] | None = None
        self.is_gone = False
        self.is_down = False
        self.asked = 0

    async def answer(self, route: Route, request: Request) -> None:
        path = request.url.removeprefix(ORIGIN)
        if path == "/s/TOKEN":
            await route.fulfill(path=STATIC / "index.html")
        elif self.is_down and path.startswith("/v1/shared/"):
            await route.fulfill(status=502)
        elif self.is_gone and path.startswith("/v1/shared/"):
            await route.fulfill(status=404, json={"code": "share_not_found"})
        elif path == "/v1/shared/TOKEN":
            await route.fulfill(json=self.agent)
        elif path == "/v1/shared/TOKEN/minutes-request":
            self.asked += 1
            await route.fulfill(json={"minutes_requested_at": "2026-01-05T09:30:00Z"})
        elif path == "/v1/shared/TOKEN/calls" and self.refusal is not None:
            status, code = self.refusal
            await route.fulfill(status=status, json={"code": code})
        elif path == "/v1/shared/TOKEN/calls":
            await self.create_call(route)
        else:
            await self._api.answer(route, request)

    async def create_call(self, route: Route) -> None:
        await self._api.may_create.wait()
        access = {"url": f"{ORIGIN}/v1/rtc/{CALL_ID}", "token": "token"}
        created = {"id": str(CALL_ID), "name": "Mia", "max_call_seconds": 300, "access": access}
        await route.fulfill(status=201, json=created)


@pytest.fixture
async def link(page: Page, api: PlayedApi) -> PlayedLink:
    """The page shows it."""
    link = PlayedLink(api)
    await page.unroute_all()
    await page.route("**/*", link.answer)
    return link


async def visit(page: Page) -> None:
    await page.goto(f"{ORIGIN}/s/TOKEN")


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
async def test_every_state_is_told_and_keeps_nobody_out(
    page: Page,
    link: PlayedLink,
    axe: str,
    colours: Literal["light", "dark"],
    width: int,
    height: int,
) -> None:
    found: dict[str, list[str]] = {}
    start, notice = page.locator("#start"), page.locator("#notice")

    async def look(state: str) -> None:
        if violations := await serious_violations(page, axe):
            found[state] = violations
        if directory := os.environ.get("SWITCHBOARD_SCREENSHOTS"):
            await page.screenshot(path=Path(directory) / f"shared {state}-{colours}-{width}.png")
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(overflow) <= 0, state

    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(color_scheme=colours)
    await visit(page)
    await expect(page.get_by_role("heading", name="Mia")).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator("#company")).to_have_text("receptionist · Harbour Dental")
    await expect(page.locator("#about")).to_contain_text("A dental practice")
    await expect(page.locator("#terms")).to_have_text(
        "12 minutes are left. A call may last 5 minutes."
    )
    await expect(page.locator("#consent")).to_contain_text("is recorded")
    await expect(start).to_be_in_viewport(ratio=1)
    await look("ready")
    for state, words in (
        ("off", "This agent is not available"),
        ("unpublished", "This agent takes no calls right now"),
        ("empty", "No minutes are left"),
        ("busy", "All lines are busy"),
    ):
        shown = {"name": None} if state in ("off", "unpublished") else {}
        link.agent = AGENT | {"state": state, **shown}
        await visit(page)
        await expect(notice).to_contain_text(words, timeout=WAIT_MS)
        await expect(start).to_be_hidden()
        await expect(page.locator("#terms")).to_be_hidden()
        await look(state)
    link.is_gone = True
    await visit(page)
    await expect(notice).to_contain_text("does not work any more", timeout=WAIT_MS)
    await expect(start).to_be_hidden()
    await look("gone")
    assert found == {}


async def test_a_free_line_brings_the_button_back(page: Page, link: PlayedLink) -> None:
    link.agent["state"] = "busy"
    await visit(page)
    await expect(page.locator("#notice")).to_be_visible(timeout=WAIT_MS)
    link.agent["state"] = "ready"
    await page.clock.run_for(5_500)
    await expect(page.locator("#start")).to_be_visible(timeout=WAIT_MS)
    await expect(page.locator("#notice")).to_be_hidden()


async def test_a_free_line_brings_the_button_back_after_the_server_was_down(
    page: Page, link: PlayedLink
) -> None:
    link.agent["state"] = "busy"
    await visit(page)
    await expect(page.locator("#notice")).to_be_visible(timeout=WAIT_MS)
    link.is_down = True
    async with page.expect_response(f"{ORIGIN}/v1/shared/TOKEN"):
        await page.clock.run_for(5_500)
    link.is_down = False
    link.agent["state"] = "ready"
    await page.clock.run_for(5_500)
    await expect(page.locator("#start")).to_be_visible(timeout=WAIT_MS)


async def test_a_visitor_asks_for_more_minutes_once(page: Page, link: PlayedLink) -> None:
    link.agent["state"] = "empty"
    await visit(page)
    await page.get_by_role("button", name="Ask for more minutes").click()
    await expect(page.locator("#asked")).to_be_visible(timeout=WAIT_MS)
    await expect(page.get_by_role("button", name="Ask for more minutes")).to_be_hidden()
    assert link.asked == 1
    link.agent["minutes_requested"] = True
    await visit(page)
    await expect(page.locator("#asked")).to_be_visible(timeout=WAIT_MS)
    await expect(page.get_by_role("button", name="Ask for more minutes")).to_be_hidden()


@pytest.mark.parametrize(
    ("status", "code", "words"),
    [
        (429, "share_link_rate_limited", "You have called very often"),
        (409, "share_link_busy", "All lines are busy"),
        (409, "share_link_pool_empty", "No minutes are left"),
        (503, "no_capacity", "Switchboard cannot take the call right now"),
    ],
)
async def test_a_refused_call_is_explained(
    page: Page, link: PlayedLink, status: int, code: str, words: str
) -> None:
    link.refusal = (status, code)
    await visit(page)
    await start_the_call(page)
    await expect(page.get_by_role("alert")).to_contain_text(words, timeout=WAIT_MS)


async def test_a_visitor_calls_without_any_key_and_sees_what_is_left(
    page: Page, link: PlayedLink
) -> None:
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    await visit(page)
    await start_the_call(page)
    await is_live(page)
    link.agent["minutes_remaining"] = 1
    await page.get_by_role("button", name="End").click()
    await expect(page.locator("#terms")).to_contain_text("1 minute is left", timeout=WAIT_MS)
    await expect(page.locator("#feedback")).to_be_hidden()
    asked = [request for request in sent if "/v1/shared/" in request.url]
    assert asked
    assert not any("authorization" in request.headers for request in asked)
    assert "sb_publishable" not in page.url + await page.content()
