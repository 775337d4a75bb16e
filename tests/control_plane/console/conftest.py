from __future__ import annotations

import subprocess
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.async_api import Browser as Chromium
from playwright.async_api import async_playwright

from tests.control_plane.console.visitor import Visitor, visitor
from tests.control_plane.identity.accounts.conftest import outbox
from tests.control_plane.linked import consumer, redis, settings, worker
from tests.control_plane.platform.http.real_server import served

__all__ = ["consumer", "outbox", "redis", "settings", "worker"]

HERE = Path(__file__).parent
WIDE, NARROW = 1280, 390


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


@pytest.fixture(scope="session")
def axe(require_program: Callable[..., str]) -> str:
    """The source of axe-core, as npm installs it from the committed lock."""
    npm = require_program("npm")
    installed = HERE / "node_modules" / "axe-core" / "axe.min.js"
    if not installed.exists():
        subprocess.run([npm, "ci", "--ignore-scripts"], cwd=HERE, check=True, capture_output=True)
    return installed.read_text()
