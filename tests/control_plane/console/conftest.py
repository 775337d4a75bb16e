from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from fastapi import FastAPI
from playwright.async_api import Browser as Chromium
from playwright.async_api import async_playwright, expect

from tests.control_plane.console.axe import axe
from tests.control_plane.console.visitor import SLOW_MS, Visitor, visitor
from tests.control_plane.identity.accounts.conftest import outbox
from tests.control_plane.linked import consumer, redis, settings, worker
from tests.control_plane.platform.http.real_server import served

__all__ = ["axe", "consumer", "outbox", "redis", "settings", "worker"]

WIDE, NARROW = 1280, 390


@pytest.fixture(scope="session", autouse=True)
def patience() -> None:
    expect.set_options(timeout=SLOW_MS)


@pytest.fixture
async def address(app: FastAPI) -> AsyncIterator[str]:
    """Where the API listens."""
    async with served(app) as address:
        yield address


@pytest.fixture
async def chrome(chromium: str) -> AsyncIterator[Chromium]:
    async with async_playwright() as playwright:
        chrome = await playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        yield chrome
        await chrome.close()


@pytest.fixture(params=[WIDE, NARROW], ids=["wide", "narrow"])
async def person(
    request: pytest.FixtureRequest, chrome: Chromium, address: str
) -> AsyncIterator[Visitor]:
    """Somebody with a browser, nobody's session, and a window of each width in turn."""
    async with visitor(chrome, address, width=request.param) as person:
        yield person
