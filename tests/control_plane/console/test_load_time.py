"""How soon a person can use the console, on loopback and with an empty cache."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser as Chromium

from bench.machine_speed import fixed_loop_ms
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.console.conftest import WIDE
from tests.control_plane.console.visitor import visitor
from tests.control_plane.dashboard import dashboard_client

pytestmark = [pytest.mark.browser, pytest.mark.latency, pytest.mark.timeout(120)]

INTERACTIVE_WITHIN_MS = 1_000
"""On a machine whose fixed loop takes ``FIXED_LOOP_MS``; on a slower one it takes longer."""
FIXED_LOOP_MS = 50
TRIES = 4
"""The machine may be busy with something else for a while."""

NOTE_WHEN_SHOWN = """
new MutationObserver((_, observer) => {
  if (!document.querySelector("h1")) return;
  window.shownAfterMs = performance.now();
  observer.disconnect();
}).observe(document, { childList: true, subtree: true });
"""
"""The heading comes with what can be done on the page. Only lists may follow."""


@pytest.mark.parametrize("path", ["/console", "/console/log-in"])
async def test_the_first_page_can_be_used_within_a_second(
    path: str, chrome: Chromium, address: str, tenant: TenantClient, database: Database
) -> None:
    owner = await dashboard_client(tenant, database, "owner")
    times_ms = []
    for _ in range(TRIES):
        async with visitor(chrome, address, width=WIDE) as person:
            if path == "/console":
                await person.has(owner.token)
            await person.page.add_init_script(NOTE_WHEN_SHOWN)
            await person.opens(path)
            times_ms.append(await person.page.evaluate("window.shownAfterMs"))
    slowness = max(1.0, fixed_loop_ms() / FIXED_LOOP_MS)
    assert min(times_ms) <= INTERACTIVE_WITHIN_MS * slowness, (times_ms, slowness)
