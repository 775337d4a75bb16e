"""The page of an invitation whose free minutes are used: how a tester pays, step by step.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures of the steps are written there.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Page, Request, Route, expect

from tests.control_plane.calling.call_page.test_call_page_in_browser import (
    ORIGIN,
    WAIT_MS,
    PlayedApi,
    api,
    is_live,
    page,
    start_the_call,
)
from tests.control_plane.calling.call_page.test_visitors_page_in_browser import (
    AGENT,
    PlayedLink,
    visit,
)
from tests.control_plane.console.axe import axe, serious_violations

__all__ = ["api", "axe", "page"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(120)]

USED_UP = AGENT | {
    "state": "empty",
    "minutes_remaining": 0,
    "max_call_seconds": 0,
    "can_pay": True,
    "price_per_min": 0.0453,
}
PAYER = {"email": "noah@example.com", "account": "Noah Weber", "available_usd": 5.0}
WRONG_PERSON = "Sign in with the mail address to which the invitation was sent, confirmed by mail"


class PlayedInvitation(PlayedLink):
    """Also answers for the accounts. ``refusal_of_payer`` is why the session cannot pay."""

    def __init__(self, api: PlayedApi) -> None:
        super().__init__(api)
        self.agent = dict(USED_UP)
        self.refusal_of_payer: tuple[int, str, str] | None = (401, "unauthorized", "")
        self.refusal_of_entry: dict[str, Any] | None = None
        self.sent: list[tuple[str, Any, str | None]] = []

    async def answer(self, route: Route, request: Request) -> None:
        path = request.url.removeprefix(ORIGIN)
        if path == "/v1/shared/TOKEN/payer":
            await self._answer_payer(route)
        elif path == "/v1/me":
            await route.fulfill(json={"csrf_token": "csrf"})
        elif path.startswith("/v1/auth/"):
            self._note(path, request)
            if self.refusal_of_entry is not None:
                await route.fulfill(status=400, json=self.refusal_of_entry)
            else:
                await route.fulfill(json={})
        elif path == "/v1/shared/TOKEN/paid-calls":
            self._note(path, request)
            await self.create_call(route)
        else:
            await super().answer(route, request)

    def _note(self, path: str, request: Request) -> None:
        self.sent.append((path, request.post_data_json, request.headers.get("x-csrf-token")))

    async def _answer_payer(self, route: Route) -> None:
        if self.refusal_of_payer is None:
            await route.fulfill(json=PAYER)
            return
        status, code, detail = self.refusal_of_payer
        await route.fulfill(status=status, json={"code": code, "detail": detail})


@pytest.fixture
async def invitation(page: Page, api: PlayedApi) -> PlayedInvitation:
    """The page shows it."""
    invitation = PlayedInvitation(api)
    await page.unroute_all()
    await page.route("**/*", invitation.answer)
    return invitation


@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
async def test_every_step_is_told_and_keeps_nobody_out(
    page: Page,
    invitation: PlayedInvitation,
    axe: str,
    colours: Literal["light", "dark"],
    width: int,
    height: int,
) -> None:
    found: dict[str, list[str]] = {}
    start = page.locator("#start")

    async def look(step: str) -> None:
        if violations := await serious_violations(page, axe):
            found[step] = violations
        if directory := os.environ.get("SWITCHBOARD_SCREENSHOTS"):
            path = Path(directory) / f"paying {step}-{colours}-{width}.png"
            await page.screenshot(path=path, full_page=True)
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(overflow) <= 0, step

    await page.set_viewport_size({"width": width, "height": height})
    await page.emulate_media(color_scheme=colours)
    await visit(page)
    await expect(page.locator("#notice")).to_contain_text(
        "No free minutes are left", timeout=WAIT_MS
    )
    await expect(page.locator("#notice")).to_contain_text("A minute costs $0.0453")
    await expect(page.get_by_label("Password")).to_be_visible()
    await expect(page.get_by_role("button", name="Ask for more minutes")).to_be_visible()
    await expect(start).to_be_hidden()
    await look("signed out")
    await page.get_by_role("button", name="Create an account").click()
    await expect(page.get_by_label("Your name or company")).to_be_visible()
    await look("new account")
    invitation.refusal_of_payer = (403, "email_not_confirmed", "")
    await visit(page)
    await expect(page.locator("#notice")).to_contain_text("come back", timeout=WAIT_MS)
    await expect(start).to_be_hidden()
    await look("unconfirmed")
    invitation.refusal_of_payer = (403, "payer_not_allowed", WRONG_PERSON)
    await visit(page)
    await expect(page.locator("#notice")).to_contain_text(WRONG_PERSON, timeout=WAIT_MS)
    await expect(page.get_by_role("link", name="Add credit")).to_be_hidden()
    await expect(start).to_be_hidden()
    await look("wrong person")
    invitation.refusal_of_payer = None
    await visit(page)
    await expect(page.locator("#paying-balance")).to_have_text(
        "Noah Weber: $5.00 are left.", timeout=WAIT_MS
    )
    await expect(page.locator("#terms")).to_have_text("A minute costs $0.0453.")
    await expect(page.get_by_role("link", name="Add credit")).to_be_visible()
    await expect(start).to_be_visible()
    await look("ready to pay")
    assert found == {}


async def test_signing_in_shows_the_credit_and_the_button(
    page: Page, invitation: PlayedInvitation
) -> None:
    await visit(page)
    await page.get_by_label("Mail address that was invited").fill("noah@example.com")
    await page.get_by_label("Password").fill("correct horse battery")
    invitation.refusal_of_entry = {"code": "invalid_credentials"}
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.get_by_role("alert")).to_have_text(
        "The mail address or the password is wrong.", timeout=WAIT_MS
    )
    invitation.refusal_of_entry = None
    invitation.refusal_of_payer = None
    await page.get_by_role("button", name="Sign in").click()
    await expect(page.locator("#start")).to_be_visible(timeout=WAIT_MS)
    entry = {"email": "noah@example.com", "password": "correct horse battery"}
    assert invitation.sent == [("/v1/auth/login", entry, None)] * 2


async def test_signing_up_leads_through_the_mail_to_a_paid_call(
    page: Page, invitation: PlayedInvitation
) -> None:
    await visit(page)
    await page.get_by_role("button", name="Create an account").click()
    await page.get_by_label("Your name or company").fill("Noah Weber")
    await page.get_by_label("Mail address that was invited").fill("noah@example.com")
    await page.get_by_label("Password").fill("correct horse battery")
    invitation.refusal_of_payer = (403, "email_not_confirmed", "")
    await page.get_by_role("button", name="Create the account").click()
    await expect(page.locator("#paying-unconfirmed")).to_be_visible(timeout=WAIT_MS)
    [(path, body, _)] = invitation.sent
    assert (path, body["tenant_name"]) == ("/v1/auth/sign-up", "Noah Weber")
    invitation.refusal_of_payer = None
    await page.get_by_role("button", name="I have confirmed it").click()
    await start_the_call(page)
    await is_live(page)
    assert invitation.sent[-1] == ("/v1/shared/TOKEN/paid-calls", None, "csrf")
    await expect(page.locator("#notice")).to_be_hidden()


async def test_another_account_can_be_used(page: Page, invitation: PlayedInvitation) -> None:
    invitation.refusal_of_payer = (403, "payer_not_allowed", WRONG_PERSON)
    await visit(page)
    await expect(page.locator("#paying-account")).to_be_visible(timeout=WAIT_MS)
    invitation.refusal_of_payer = (401, "unauthorized", "")
    await page.get_by_role("button", name="Use another account").click()
    await expect(page.get_by_role("button", name="Sign in")).to_be_visible(timeout=WAIT_MS)
    assert invitation.sent == [("/v1/auth/logout", None, "csrf")]


async def test_a_free_call_sends_no_session_s_token(
    page: Page, invitation: PlayedInvitation
) -> None:
    invitation.agent = dict(AGENT)
    await visit(page)
    await start_the_call(page)
    await is_live(page)
    assert invitation.sent == []
    await expect(page.locator("#paying")).to_be_hidden()
