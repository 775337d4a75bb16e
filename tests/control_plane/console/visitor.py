"""Somebody who uses the console in a browser.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` the pictures that tests keep are written there.
"""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from playwright.async_api import Browser, BrowserContext, Page, expect

from control_plane.identity.accounts.sessions.authentication import SESSION_COOKIE

SCREENSHOTS = "SWITCHBOARD_SCREENSHOTS"
LONGEST_PICTURE = 10_000
SLOW_MS = 20_000
"""Tests share a busy machine."""


@dataclass(frozen=True)
class Visitor:
    page: Page
    context: BrowserContext
    address: str
    requested: list[str]
    """The address of each request so far."""

    async def has(self, session_token: str) -> None:
        """Logs the browser in, without the time that a password's hash takes."""
        await self.context.add_cookies(
            [{"name": SESSION_COOKIE, "value": session_token, "url": self.address}]
        )

    async def opens(self, path: str) -> None:
        """Opens an address of the console, and waits for its page."""
        await self.page.goto(f"{self.address}{path}")
        await expect(self.page.locator("h1")).to_be_visible(timeout=SLOW_MS)
        await self.page.wait_for_load_state("networkidle")

    async def reads(self, heading: str) -> None:
        await expect(self.page.get_by_role("heading", name=heading, level=1)).to_be_visible(
            timeout=SLOW_MS
        )

    async def presses(self, name: str) -> None:
        await self.page.get_by_role("button", name=name, exact=True).click()

    async def follows(self, name: str) -> None:
        await self.page.get_by_role("link", name=name, exact=True).click()

    async def fills(self, label: str, text: str) -> None:
        await self.page.get_by_label(label, exact=True).fill(text)

    async def sees_all_of_its_width(self) -> bool:
        fits: bool = await self.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        return fits

    async def keeps_a_picture(self, name: str) -> None:
        """Of the whole page, unless that is a very long one."""
        if directory := os.environ.get(SCREENSHOTS):
            height: int = await self.page.evaluate("document.documentElement.scrollHeight")
            width: int = await self.page.evaluate("innerWidth")
            path = Path(directory) / f"{name}-{width}.png"
            await self.page.screenshot(path=path, full_page=height < LONGEST_PICTURE)

    @property
    def foreign_requests(self) -> list[str]:
        own = (f"{self.address}/", "blob:", "data:")
        return [url for url in self.requested if not url.startswith(own)]


@asynccontextmanager
async def visitor(
    chrome: Browser,
    address: str,
    *,
    width: int,
    colours: Literal["light", "dark"] = "light",
    bypass_csp: bool = False,
) -> AsyncIterator[Visitor]:
    """Any error in a script fails the test, and so does what the page's policy refuses."""
    faults: list[str] = []
    requested: list[str] = []
    context = await chrome.new_context(
        viewport={"width": width, "height": 800}, color_scheme=colours, bypass_csp=bypass_csp
    )
    context.set_default_timeout(SLOW_MS)
    page = await context.new_page()
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: requested.append(request.url))
    page.on(
        "console",
        lambda line: faults.append(line.text) if "Content Security Policy" in line.text else None,
    )
    yield Visitor(page, context, address, requested)
    await context.close()
    assert faults == []
