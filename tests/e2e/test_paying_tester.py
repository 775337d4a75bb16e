"""A tester without free minutes signs up on the invitation's page, confirms their mail address, and
pays for a real call. The owner pays nothing.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures are written there.
"""

from __future__ import annotations

import asyncio
from email.message import EmailMessage
from pathlib import Path
from uuid import uuid4

import pytest
from playwright.async_api import Page, expect

from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE as FEE
from contracts.money import billable_seconds, charge_micros
from switchboard.demo.checks import micros
from switchboard_client import AsyncSwitchboard
from tests.control_plane.identity.accounts.browsing import mails_in, token_in
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.polling import ended_call
from tests.e2e.test_call_page import (
    ALLOW_MICROPHONE,
    ANSWER_MS,
    hang_up,
    keep_screenshot,
    opened_page,
)

pytestmark = [pytest.mark.e2e, pytest.mark.browser, pytest.mark.timeout(180)]

PASSWORD = "correct horse battery"


async def mail_to(outbox: Path, email: str, subject: str) -> EmailMessage:
    async with asyncio.timeout(20):
        while not (  # noqa: ASYNC110 (the outbox is a folder)
            found := [
                mail
                for mail in mails_in(outbox)
                if mail["To"] == email and mail["Subject"].startswith(subject)
            ]
        ):
            await asyncio.sleep(0.05)
    return found[0]


async def balance(page: Page) -> float:
    """Of the account that the browser is signed in to."""
    answer = await page.request.get("/v1/billing/balance")
    assert answer.ok, await answer.text()
    return float((await answer.json())["balance_usd"])


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
async def test_a_tester_signs_up_and_pays_for_a_call(
    chromium: str, switchboard: LiveSwitchboard, width: int, height: int
) -> None:
    email, outbox = f"noah-{uuid4().hex}@example.com", switchboard.data_dir / "outbox"
    async with switchboard.api() as api:
        agent = await api.agents.clone(switchboard.account.agent_id)
        await api.agents.publish(agent.id)
        tester = (await api.sharing.invite(agent.id, email)).tester
    size = {"width": width, "height": height}
    async with opened_page(
        chromium, tester.url, ALLOW_MICROPHONE, viewport=size, base_url=switchboard.api_url
    ) as page:
        await expect(page.locator("#notice")).to_contain_text("No free minutes are left")
        await expect(page.get_by_role("button", name="Start the call")).to_be_hidden()
        await keep_screenshot(page, f"paying-signed-out-{width}.png")
        await page.get_by_role("button", name="Create an account").click()
        await page.get_by_label("Your name or company").fill("Noah Weber")
        await page.get_by_label("Mail address that was invited").fill(email)
        await page.get_by_label("Password").fill(PASSWORD)
        await page.get_by_role("button", name="Create the account").click()
        await expect(page.locator("#paying-unconfirmed")).to_be_visible()
        await keep_screenshot(page, f"paying-unconfirmed-{width}.png")
        await page.get_by_role("button", name="I have confirmed it").click()
        await expect(page.get_by_role("button", name="Start the call")).to_be_hidden()
        token = token_in(await mail_to(outbox, email, "Confirm"))
        confirmed = await page.request.post(
            "/v1/auth/confirm-email", data={"token": token, "password": PASSWORD}
        )
        assert confirmed.ok, await confirmed.text()
        await page.get_by_role("button", name="I have confirmed it").click()
        await expect(page.locator("#paying-balance")).to_contain_text("Noah Weber: $")
        await keep_screenshot(page, f"paying-ready-{width}.png")
        before = await balance(page)
        await page.get_by_role("button", name="Start the call").click()
        await expect(page.locator("#transcript li").first).to_be_visible(timeout=ANSWER_MS)
        call_id = await page.evaluate("document.body.dataset.call")
        await hang_up(page)
        async with switchboard.api() as api:
            call = await ended_call(api, call_id)
            await _owner_paid_nothing(api, call_id)
        price = charge_micros(billable_seconds(round(call["bill_duration"] * 1000)), FEE)
        assert micros(before) - micros(await balance(page)) == price > 0
        await keep_screenshot(page, f"paying-after-{width}.png")
        seen = await page.request.get(f"/v1/calls/{call_id}")
        assert seen.status == 404, "the call is its owner's"


async def _owner_paid_nothing(api: AsyncSwitchboard, call_id: str) -> None:
    bill = await api.request("GET", f"/v1/calls/{call_id}/bill")
    assert (bill["paid_by"], bill["total_cost"], bill["charge"]) == ("tester", 0, None)
    charges = await api.request("GET", "/v1/billing/transactions?limit=200")
    assert call_id not in [each["call_id"] for each in charges["transactions"]]
