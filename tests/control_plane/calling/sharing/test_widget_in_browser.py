"""The widget in a browser whose connection is lost. The room is a real one."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, Request, Route, expect

from control_plane.calling.sharing.widget.routes import WIDGET
from tests.control_plane.calling.call_page.test_call_page_in_browser import (
    CALL_ID,
    HAS_NO_OTHER_MICROPHONE,
    IS_HEARD_AGAIN,
    IS_HEARD_IN_NEW_CONNECTION,
    ORIGIN,
    UNPLUG,
    WAIT_MS,
    PlayedApi,
    api,
    is_goodbye,
    page,
)
from tests.control_plane.calling.call_page.test_visitors_page_in_browser import AGENT, PlayedLink

__all__ = ["api", "page"]

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]
OFFERS = f"**/v1/rtc/{CALL_ID}"
SHOP = """<!doctype html><html lang="en"><title>Shop</title><body><h1>Our shop</h1>
<script src="/widget.js" data-link="TOKEN" defer></script></body></html>"""


class PlayedShop:
    """A web page with the widget, and its link."""

    def __init__(self, link: PlayedLink) -> None:
        self._link = link

    async def answer(self, route: Route, request: Request) -> None:
        path = request.url.removeprefix(ORIGIN)
        if path == "/shop":
            await route.fulfill(body=SHOP, content_type="text/html")
        elif path == "/widget.js":
            await route.fulfill(path=WIDGET, content_type="text/javascript; charset=utf-8")
        else:
            await self._link.answer(route, request)


@pytest.fixture
async def shop(page: Page, api: PlayedApi) -> Page:
    """The shop's page."""
    link = PlayedLink(api)
    link.agent = AGENT | {"is_recorded": False}
    await page.unroute_all()
    await page.route("**/*", PlayedShop(link).answer)
    await page.goto(f"{ORIGIN}/shop")
    return page


@pytest.fixture
async def live(shop: Page) -> Page:
    """The shop's page, in a call."""
    await shop.get_by_role("button", name="Talk to Mia").click()
    await is_told(shop, "Connected")
    return shop


async def is_told(page: Page, words: str) -> None:
    await expect(page.get_by_role("status")).to_have_text(words, timeout=WAIT_MS)


async def test_a_lost_connection_is_made_again(live: Page, api: PlayedApi) -> None:
    async with live.expect_request(OFFERS) as offered:
        await live.evaluate("setState(0, 'failed')")
    await is_told(live, "Connected")
    assert len(set(api.offers)) == 2, "each connection has its own offer"
    assert (await offered.value).headers["offer-order"].endswith("/2")
    assert api.calls == 0, "the link made the call, once"
    await live.get_by_role("button", name="End").click()
    await is_told(live, "You ended the call.")


async def test_a_call_that_is_ended_while_it_is_created_is_left(shop: Page, api: PlayedApi) -> None:
    api.may_create.clear()
    async with shop.expect_request("**/v1/shared/TOKEN/calls"):
        await shop.get_by_role("button", name="Talk to Mia").click()
    await shop.get_by_role("button", name="End").click()
    async with shop.expect_request(is_goodbye):
        api.may_create.set()
    assert api.offers == []


async def test_another_microphone_is_used_when_one_is_unplugged(live: Page) -> None:
    await live.evaluate(UNPLUG)
    await live.wait_for_function(IS_HEARD_AGAIN, polling=50, timeout=WAIT_MS)
    await live.evaluate(HAS_NO_OTHER_MICROPHONE)
    await live.evaluate(UNPLUG)
    await is_told(live, "No microphone was found.")


async def test_a_connection_that_is_being_made_gets_the_other_microphone_too(
    live: Page, api: PlayedApi
) -> None:
    api.answers_nothing = True
    async with live.expect_request(OFFERS):
        await live.evaluate("setState(0, 'failed')")
    await live.evaluate(UNPLUG)
    await live.wait_for_function(IS_HEARD_IN_NEW_CONNECTION, polling=50, timeout=WAIT_MS)
    await is_told(live, "Reconnecting…")


async def test_ending_the_call_withdraws_an_attempt_to_connect_again(
    live: Page, api: PlayedApi
) -> None:
    api.answers_nothing = True
    async with live.expect_request(OFFERS):
        await live.evaluate("setState(0, 'failed')")
    # Sooner than the attempt's own end.
    async with live.expect_event("requestfailed", timeout=3_000) as withdrawn:
        await live.get_by_role("button", name="End").click()
    assert (await withdrawn.value).url.endswith(f"/v1/rtc/{CALL_ID}")
    await live.wait_for_function("window.peers[1].connectionState === 'closed'", timeout=WAIT_MS)
    await is_told(live, "You ended the call.")
    assert len(api.offers) == 2


async def test_a_loss_that_is_over_a_moment_later_needs_no_new_connection(
    live: Page, api: PlayedApi
) -> None:
    await live.evaluate("setState(0, 'disconnected')")
    await is_told(live, "Reconnecting…")
    await live.evaluate("setState(0, 'connected')")
    await live.clock.fast_forward(1_500)
    await is_told(live, "Connected")
    assert len(api.offers) == 1


async def test_a_call_that_ended_meanwhile_is_over(live: Page, api: PlayedApi) -> None:
    api.refusals = [(410, "The call ended.")]
    await live.evaluate("setState(0, 'failed')")
    await is_told(live, "The call has ended.")
    await expect(live.get_by_role("button", name="Talk to Mia")).to_be_visible()


async def test_a_room_that_does_not_answer_is_given_up(live: Page, api: PlayedApi) -> None:
    api.refusals = [(500, "no answer")] * 100
    async with live.expect_response(OFFERS):
        await live.evaluate("setState(0, 'failed')")
    await live.clock.fast_forward(20_000)
    await is_told(live, "The connection was lost.")
