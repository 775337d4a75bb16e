"""What a person sees who opens the links in our mails."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage

import pytest
from fastapi import FastAPI
from playwright.async_api import Page, async_playwright, expect

from control_plane.console.routes import STATIC
from tests.control_plane.identity.accounts.browsing import PASSWORD, Browser
from tests.control_plane.identity.accounts.conftest import browser, other_browser, outbox
from tests.control_plane.platform.http.real_server import served

__all__ = ["browser", "other_browser", "outbox"]

Outbox = Callable[[], list[EmailMessage]]
OTHER_PASSWORD = "an even better horse"


def link_in(mail: EmailMessage) -> str:
    """Path and token."""
    found = re.search(r"http://switchboard\.test(/\S+\?token=\S+)", mail.get_content())
    assert found is not None
    return found[1]


async def invite(browser: Browser, outbox: Outbox) -> None:
    await browser.open_account(outbox)
    invited = await browser.post("/v1/invitations", {"email": "sam@example.com", "role": "member"})
    assert invited.status_code == 201, invited.text


async def reset(browser: Browser, outbox: Outbox) -> None:
    await browser.open_account(outbox)
    await browser.post("/v1/auth/password-reset", {"email": "mia@example.com"})


async def sign_up(browser: Browser, outbox: Outbox) -> None:
    await browser.sign_up()


MAILED = [sign_up, reset, invite]


@pytest.mark.parametrize("mailed", MAILED)
async def test_the_address_in_a_mail_is_a_page(
    mailed: Callable[[Browser, Outbox], object], browser: Browser, outbox: Outbox
) -> None:
    await mailed(browser, outbox)
    page = await browser.http.get(link_in(outbox()[-1]))
    assert page.status_code == 200, page.text
    assert page.headers["content-type"].startswith("text/html")
    assert page.headers["cache-control"] == "no-store"


async def test_who_did_not_log_in_is_led_to_the_page_that_mails_a_new_password(
    browser: Browser, other_browser: Browser, outbox: Outbox
) -> None:
    await browser.open_account(outbox)
    await other_browser.log_in()
    address = "http://switchboard.test/console/forgotten"
    assert address in outbox()[-1].get_content()
    pages = (STATIC / "pages" / "routes.js").read_text()
    assert '"/console/forgotten"' in pages


@pytest.fixture
async def page(app: FastAPI, chromium: str) -> AsyncIterator[Page]:
    """In a narrow window. Any error in its script fails the test."""
    faults: list[str] = []
    async with served(app) as address, async_playwright() as playwright:
        chrome = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        page = await chrome.new_page(base_url=address, viewport={"width": 390, "height": 760})
        page.on("pageerror", lambda error: faults.append(str(error)))
        yield page
        await chrome.close()
    assert faults == []


async def fits(page: Page) -> bool:
    narrow: bool = await page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    return narrow


@pytest.mark.browser
async def test_a_person_confirms_their_address_with_their_password(
    page: Page, browser: Browser, outbox: Outbox
) -> None:
    await sign_up(browser, outbox)
    await page.goto(link_in(outbox()[-1]))
    status, confirm = page.get_by_role("status"), page.get_by_role("button", name="Confirm")
    await confirm.click()
    await expect(status).to_contain_text("The password is required")
    await page.get_by_label("Password of your account").fill(OTHER_PASSWORD)
    await confirm.click()
    await expect(status).to_contain_text("not the password of the account")
    assert await fits(page)
    await page.get_by_label("Password of your account").fill(PASSWORD)
    await confirm.click()
    await expect(status).to_contain_text("Your mail address is confirmed")
    await expect(confirm).to_be_hidden()
    assert (await browser.me())["user"]["email_confirmed"] is True


@pytest.mark.browser
async def test_a_person_sets_a_new_password_once(
    page: Page, browser: Browser, outbox: Outbox
) -> None:
    await reset(browser, outbox)
    for words in ("Your new password is set", "Ask for another mail"):
        await page.goto(link_in(outbox()[-1]) if words.startswith("Your") else page.url)
        await page.get_by_label("New password").fill(OTHER_PASSWORD)
        await page.get_by_role("button", name="Set the password").click()
        await expect(page.get_by_role("status")).to_contain_text(words)
        assert await fits(page)
    assert (await browser.log_in(password=OTHER_PASSWORD)).status_code == 200


@pytest.mark.browser
async def test_a_new_person_accepts_an_invitation(
    page: Page, browser: Browser, outbox: Outbox
) -> None:
    await invite(browser, outbox)
    await page.goto(link_in(outbox()[-1]))
    await page.get_by_label("Password").fill(OTHER_PASSWORD)
    await page.get_by_role("button", name="Join").click()
    await expect(page.get_by_role("status")).to_contain_text("You are a member now")
    await expect(page.get_by_role("link", name="Open the console")).to_have_attribute(
        "href", "/console"
    )
    assert await fits(page)
    members = (await browser.get("/v1/members")).json()["members"]
    assert {member["email"] for member in members} == {"mia@example.com", "sam@example.com"}


@pytest.mark.browser
async def test_a_link_without_its_token_says_how_to_get_another(page: Page) -> None:
    await page.goto("/confirm-email")
    await expect(page.get_by_role("status")).to_contain_text("Log in again to get a new mail")
    await expect(page.get_by_role("button")).to_be_hidden()
    await expect(page.get_by_role("link")).to_be_hidden()
