"""Strangers talk to a shared agent: on the link's own page, and on a page of another origin.

With ``SWITCHBOARD_SCREENSHOTS=DIRECTORY`` pictures of both are written there.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from playwright.async_api import expect

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

PAGE = """<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width">
<title>Shop</title><style nonce="shop">button {{ display: none }} p {{ color: red }}</style></head>
<body><h1>Our shop</h1><script src="{api}/widget.js" data-link="{link}" defer></script>
</body></html>"""
POLICY = "default-src 'none'; style-src 'nonce-shop'; script-src {api}; connect-src {api}"
"""As docs/sharing.md says what a page has to permit."""


class _Shop(BaseHTTPRequestHandler):
    def __init__(self, *args: Any, api: str, links: dict[str, str]) -> None:
        self._api, self._links = api, links
        super().__init__(*args)

    def do_GET(self) -> None:
        link = self._links.get("link", "")
        self.send_response(200)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Security-Policy", POLICY.format(api=self._api))
        self.end_headers()
        self.wfile.write(PAGE.format(api=self._api, link=link).encode())

    def log_message(self, *_: Any) -> None:
        """Says nothing."""


@contextmanager
def shop(api: str, links: dict[str, str]) -> Iterator[str]:
    """The origin of a foreign page with the widget of ``links["link"]``."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Shop, api=api, links=links))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


async def share(switchboard: LiveSwitchboard, **fields: Any) -> dict[str, Any]:
    """A link of its own agent for each test: tests run beside each other."""
    async with switchboard.api() as api:
        copied = await api.agents.clone(switchboard.account.agent_id)
        await api.agents.publish(copied.id)
        answer = await api.request("PUT", f"/v1/agents/{copied.id}/share-link", body=fields)
    link: dict[str, Any] = answer["link"]
    return link | {"agent_id": copied.id}


async def link_of(switchboard: LiveSwitchboard, link: dict[str, Any]) -> dict[str, Any]:
    async with switchboard.api() as api:
        answer = await api.request("GET", f"/v1/agents/{link['agent_id']}/share-link")
    found: dict[str, Any] = answer["link"]
    return found


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
async def test_a_visitor_talks_on_the_links_page(
    chromium: str, switchboard: LiveSwitchboard, width: int, height: int
) -> None:
    link = await share(switchboard, minutes_limit=5)
    size = {"width": width, "height": height}
    async with opened_page(chromium, link["url"], ALLOW_MICROPHONE, viewport=size) as page:
        await expect(page.get_by_role("heading", name="Mia")).to_be_visible()
        await expect(page.locator("#terms")).to_contain_text("5 minutes are left")
        await expect(page.get_by_role("button", name="Start the call")).to_be_in_viewport(ratio=1)
        await keep_screenshot(page, f"shared-before-{width}.png")
        everything = page.url + await page.content()
        assert "sb_publishable" not in everything
        assert "sb_secret" not in everything
        await page.get_by_role("button", name="Start the call").click()
        await expect(page.locator("#transcript li").first).to_be_visible(timeout=ANSWER_MS)
        assert (await link_of(switchboard, link))["live_calls"] == 1
        await keep_screenshot(page, f"shared-live-{width}.png")
        call_id = await page.evaluate("document.body.dataset.call")
        await hang_up(page)
        async with switchboard.api() as api:
            call = await ended_call(api, call_id)
        assert call["bill_duration"]
        overflow = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert await page.evaluate(overflow) <= 0
        await keep_screenshot(page, f"shared-after-{width}.png")
    used = await link_of(switchboard, link)
    assert used["live_calls"] == 0
    assert 1 <= used["seconds_used"] < 60
    assert used["seconds_used"] + used["seconds_remaining"] == 300


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 800)])
async def test_a_visitor_talks_through_the_widget_on_another_origin(
    chromium: str, switchboard: LiveSwitchboard, width: int, height: int
) -> None:
    links: dict[str, str] = {}
    size = {"width": width, "height": height}
    with shop(switchboard.api_url, links) as origin:
        link = await share(switchboard, minutes_limit=5, allowed_origins=[origin])
        links["link"] = link["url"]
        async with opened_page(chromium, origin, ALLOW_MICROPHONE, viewport=size) as page:
            start = page.get_by_role("button", name="Talk to Mia")
            await expect(start).to_be_in_viewport(ratio=1)
            await keep_screenshot(page, f"widget-before-{width}.png")
            await start.click()
            end = page.get_by_role("button", name="End")
            await expect(end).to_be_in_viewport(ratio=1)
            status = page.get_by_role("status")
            await expect(status).to_have_text("Speaking", timeout=ANSWER_MS)
            await page.get_by_role("button", name="Mute").click()
            await expect(page.get_by_role("button", name="Unmute")).to_be_visible()
            assert (await link_of(switchboard, link))["live_calls"] == 1
            await keep_screenshot(page, f"widget-live-{width}.png")
            async with page.expect_response(lambda each: each.request.method == "DELETE") as left:
                await end.click()
            assert (await left.value).ok
            await expect(status).to_have_text("You ended the call.")
            await expect(start).to_be_visible()


async def test_the_widget_is_not_shown_where_the_link_does_not_permit_it(
    chromium: str, switchboard: LiveSwitchboard
) -> None:
    links: dict[str, str] = {}
    with shop(switchboard.api_url, links) as origin:
        link = await share(switchboard, allowed_origins=["https://another.example"])
        links["link"] = link["url"]
        async with opened_page(chromium, "about:blank") as page:
            async with page.expect_console_message(
                lambda message: "allowed_origins" in message.text
            ):
                await page.goto(origin)
            await expect(page.get_by_role("button")).to_have_count(0)
