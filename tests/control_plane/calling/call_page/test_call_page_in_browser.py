"""The call page in a browser, against answers that a real system seldom gives.

The page's files and the API are played by the browser's own routes, and the room is a real one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any
from uuid import UUID, uuid4

import pytest
from playwright.async_api import Page, Request, Route, async_playwright, expect

from contracts.call_plan import PlannedParticipant
from control_plane.calling.call_page.routes import STATIC
from control_plane.platform.page_style import files as page_style
from runtime.media.local_room import LocalRoom

pytestmark = [pytest.mark.browser, pytest.mark.timeout(60)]

ORIGIN = "http://localhost:1"
"""Browsers allow the microphone there. Nothing listens: every request is answered by a route."""
CALL_ID, PARTICIPANT_ID, AGENT_ID = UUID(int=7), UUID(int=8), UUID(int=9)
LEG = f"/v1/rtc/{CALL_ID}/legs/{PARTICIPANT_ID}"
OFFERS = f"**/v1/rtc/{CALL_ID}"
WAIT_MS = 15_000

STATES_BY_HAND = """
// A test sets the state of the page's connections, in the order in which they were made.
window.peers = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(configuration) {
    super(configuration);
    window.peers.push(this);
  }
  get connectionState() {
    return this.stateByHand ?? super.connectionState;
  }
};
window.setState = (index, state) => {
  window.peers[index].stateByHand = state;
  window.peers[index].onconnectionstatechange();
};
"""

UNPLUG = """() => {
  window.unplugged = window.peers[0].getSenders()[0].track;
  window.unplugged.dispatchEvent(new Event("ended"));
}"""
IS_HEARD_AGAIN = "window.peers[0].getSenders()[0].track !== window.unplugged"
IS_HEARD_IN_NEW_CONNECTION = "window.peers[1].getSenders()[0].track !== window.unplugged"
HAS_NO_OTHER_MICROPHONE = """() => {
  navigator.mediaDevices.getUserMedia = async () => {
    throw new DOMException("", "NotFoundError");
  };
}"""


class PlayedApi:
    """The API of one call. ``refusals`` are the next answers to offers; then the room answers."""

    def __init__(self, room: LocalRoom) -> None:
        self._room = room
        self.calls = 0
        self.may_create = asyncio.Event()
        self.may_create.set()
        self.offers: list[str] = []
        self.refusals: list[tuple[int, str]] = []
        self.ice_servers_status = 200
        self.answers_nothing = False
        self.card_status = 200
        self.card: dict[str, Any] = {"name": "Reception"}
        self.joined: dict[str, Any] = {"agent": {"name": "Reception"}, "ended_at": None}
        self.feedback: list[Any] = []

    async def answer(self, route: Route, request: Request) -> None:
        path = request.url.removeprefix(ORIGIN).partition("?")[0]
        if path == "/call":
            await route.fulfill(path=STATIC / "index.html")
        elif path.startswith("/call/static/"):
            await route.fulfill(path=STATIC / path.rpartition("/")[2])
        elif path.startswith("/page-style/"):
            await route.fulfill(path=page_style.STATIC / path.rpartition("/")[2])
        elif path == "/v1/calls":
            self.calls += 1
            await self.may_create.wait()
            access = {"url": f"{ORIGIN}/v1/rtc/{CALL_ID}", "token": "token"}
            created = {
                "id": str(CALL_ID),
                "agent": {"name": "Reception"},
                "participants": [{"access": access}],
            }
            await route.fulfill(status=201, json=created)
        elif path.endswith("/card"):
            await route.fulfill(status=self.card_status, json=self.card)
        elif path.endswith("/feedback"):
            self.feedback.append(request.post_data_json)
            await route.fulfill(status=200, json={})
        elif path == f"/v1/rtc/{CALL_ID}" and request.method == "GET":
            await route.fulfill(status=200, json=self.joined)
        elif path.endswith("/ice-servers"):
            await route.fulfill(status=self.ice_servers_status, json={"ice_servers": []})
        elif request.method == "POST":
            await self._answer_offer(route, request.post_data or "")
        else:
            await route.fulfill(status=200)

    async def _answer_offer(self, route: Route, offer: str) -> None:
        self.offers.append(offer)
        if self.answers_nothing:
            return
        if self.refusals:
            status, detail = self.refusals.pop(0)
            headers = {"Retry-After": "1"} if status == 503 else {}
            await route.fulfill(status=status, json={"detail": detail}, headers=headers)
            return
        participant = PlannedParticipant(
            participant_id=PARTICIPANT_ID, transport="webrtc", identity="browser"
        )
        answer = await self._room.answer_offer(participant, offer)
        await route.fulfill(status=201, body=answer, headers={"Location": LEG})


@pytest.fixture
async def api() -> AsyncIterator[PlayedApi]:
    async with aclosing(LocalRoom(str(uuid4()))) as room:
        yield PlayedApi(room)


@pytest.fixture
async def page(api: PlayedApi, chromium: str) -> AsyncIterator[Page]:
    """The call page. Any error in its script fails the test."""
    faults: list[str] = []
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            executable_path=chromium,
            args=[
                "--no-sandbox",
                "--use-fake-device-for-media-stream",
                "--use-fake-ui-for-media-stream",
            ],
        )
        page = await browser.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        await page.add_init_script(STATES_BY_HAND)
        await page.clock.install()
        await page.route("**/*", api.answer)
        await page.goto(f"{ORIGIN}/call?agent={uuid4()}#key=sb_publishable_1")
        yield page
        await browser.close()
    assert faults == []


async def start_the_call(page: Page) -> None:
    await page.get_by_role("button", name="Start the call").click()


async def is_live(page: Page) -> None:
    await expect(page.locator("body")).to_have_attribute("data-phase", "live", timeout=WAIT_MS)


async def has_ended(page: Page) -> None:
    await expect(page.get_by_role("status")).to_have_text("The call has ended", timeout=WAIT_MS)
    await expect(page.locator("#trouble")).to_be_hidden()


def is_goodbye(request: Request) -> bool:
    """Leaves the call without a leg."""
    return (request.method, request.url) == ("DELETE", f"{ORIGIN}/v1/rtc/{CALL_ID}")


async def is_refused(page: Page, title: str) -> None:
    await expect(page.get_by_role("alert")).to_contain_text(title, timeout=WAIT_MS)


async def test_an_offer_that_finds_no_free_slot_is_sent_again(page: Page, api: PlayedApi) -> None:
    api.refusals = [(503, "no slot"), (503, "no slot")]
    await start_the_call(page)
    await is_live(page)
    assert len(api.offers) == 3
    assert len(set(api.offers)) == 1, "the same offer"
    assert api.calls == 1, "a second call would hold credit as well"


async def test_an_offer_is_not_sent_again_for_ever(page: Page, api: PlayedApi) -> None:
    api.refusals = [(503, "send the offer again in 2 s")] * 100
    async with page.expect_response(OFFERS):
        await start_the_call(page)
    await page.clock.fast_forward(13_000)
    await is_refused(page, "Switchboard cannot take the call right now")
    assert len(api.offers) > 1
    await expect(page.get_by_role("alert")).not_to_contain_text("offer")


async def test_no_offer_is_sent_again_after_the_person_has_ended_the_call(
    page: Page, api: PlayedApi
) -> None:
    api.refusals = [(503, "no slot")]
    async with page.expect_response(OFFERS):
        await start_the_call(page)
    await page.get_by_role("button", name="End").click()
    await page.clock.fast_forward(5_000)
    await expect(page.get_by_role("button", name="Call again")).to_be_enabled(timeout=WAIT_MS)
    assert len(api.offers) == 1


async def test_a_call_that_is_ended_while_it_is_created_is_left(page: Page, api: PlayedApi) -> None:
    api.may_create.clear()
    async with page.expect_request("**/v1/calls"):
        await start_the_call(page)
    await page.get_by_role("button", name="End").click()
    async with page.expect_request(is_goodbye) as left:
        api.may_create.set()
    assert (await left.value).headers["authorization"] == "Bearer token"
    await expect(page.get_by_role("button", name="Call again")).to_be_enabled(timeout=WAIT_MS)
    assert api.offers == []


async def test_a_call_that_is_ended_while_it_connects_is_left(page: Page, api: PlayedApi) -> None:
    api.refusals = [(503, "no slot")] * 100
    async with page.expect_response(OFFERS):
        await start_the_call(page)
    async with page.expect_request(is_goodbye):
        await page.get_by_role("button", name="End").click()


async def test_who_was_invited_and_could_not_connect_may_try_again(
    page: Page, api: PlayedApi
) -> None:
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    api.refusals = [(500, "no answer")]
    await page.goto("about:blank")
    await page.goto(f"{ORIGIN}/call#call={CALL_ID}&token=token")
    await page.get_by_role("button", name="Join the call").click()
    await is_refused(page, "The call could not be placed")
    await page.get_by_role("button", name="Join again").click()
    await is_live(page)
    assert not any(is_goodbye(request) for request in sent)


async def test_who_was_invited_may_load_the_page_again_while_it_connects(
    page: Page, api: PlayedApi
) -> None:
    sent: list[Request] = []
    page.on("request", lambda request: sent.append(request))
    api.refusals = [(503, "no slot")]
    await page.goto("about:blank")
    await page.goto(f"{ORIGIN}/call#call={CALL_ID}&token=token")
    async with page.expect_response(OFFERS):
        await page.get_by_role("button", name="Join the call").click()
    await page.reload()
    await page.get_by_role("button", name="Join the call").click()
    await is_live(page)
    assert not any(is_goodbye(request) for request in sent)


async def test_another_microphone_is_used_when_one_is_unplugged(page: Page, api: PlayedApi) -> None:
    await start_the_call(page)
    await is_live(page)
    await page.evaluate(UNPLUG)
    await page.wait_for_function(IS_HEARD_AGAIN, polling=50, timeout=WAIT_MS)
    await expect(page.locator("#trouble")).to_be_hidden()
    await page.get_by_role("button", name="Mute").click()
    assert await page.evaluate("window.peers[0].getSenders()[0].track.enabled") is False
    assert len(api.offers) == 1


async def test_a_connection_that_is_being_made_gets_the_other_microphone_too(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    api.answers_nothing = True
    async with page.expect_request(OFFERS):
        await page.evaluate("setState(0, 'failed')")
    await page.evaluate(UNPLUG)
    await page.wait_for_function(IS_HEARD_IN_NEW_CONNECTION, polling=50, timeout=WAIT_MS)
    await expect(page.locator("#trouble")).to_be_hidden()


async def test_ending_the_call_withdraws_an_attempt_to_connect_again(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    api.answers_nothing = True
    async with page.expect_request(OFFERS):
        await page.evaluate("setState(0, 'failed')")
    # Sooner than the attempt's own end.
    async with page.expect_event("requestfailed", timeout=3_000) as withdrawn:
        await page.get_by_role("button", name="End").click()
    assert (await withdrawn.value).url.endswith(f"/v1/rtc/{CALL_ID}")
    await page.wait_for_function("window.peers[1].connectionState === 'closed'", timeout=WAIT_MS)
    assert len(api.offers) == 2


async def test_a_person_whose_only_microphone_is_unplugged_is_told(page: Page) -> None:
    await start_the_call(page)
    await is_live(page)
    await page.evaluate(HAS_NO_OTHER_MICROPHONE)
    await page.evaluate(UNPLUG)
    await is_refused(page, "No microphone was found")


async def test_a_call_that_ended_while_the_person_was_away_is_over(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    api.refusals = [(410, "The call ended with max_call_duration; create a new one.")]
    await page.evaluate("setState(0, 'failed')")
    await has_ended(page)


async def test_a_lost_connection_that_the_room_closes_means_that_the_call_is_over(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    await page.evaluate("() => { setState(0, 'disconnected'); setState(0, 'closed'); }")
    await has_ended(page)
    assert len(api.offers) == 1


async def test_an_attempt_that_takes_too_long_withdraws_its_offer(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    api.answers_nothing = True
    async with page.expect_request(OFFERS):
        await page.evaluate("setState(0, 'failed')")
    async with page.expect_event("requestfailed") as withdrawn:
        await page.clock.fast_forward(7_000)
    api.answers_nothing = False
    assert (await withdrawn.value).url.endswith(f"/v1/rtc/{CALL_ID}")
    await is_live(page)


async def test_a_lost_connection_is_not_tried_again_for_longer_than_the_room_waits(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    api.answers_nothing = True
    async with page.expect_request(OFFERS):
        await page.evaluate("setState(0, 'failed')")
    # Each attempt has 6 s. The second one begins after 6.5 s, the third one after 13.5.
    for _ in range(2):
        async with page.expect_request(OFFERS):
            await page.clock.fast_forward(6_000)
    await page.clock.fast_forward(6_000)
    await is_refused(page, "The connection failed")
    assert len(api.offers) == 1 + 3


@pytest.mark.parametrize(("status", "is_placed"), [(200, True), (404, True), (500, False)])
async def test_only_an_older_release_may_have_no_ice_servers(
    page: Page, api: PlayedApi, status: int, is_placed: bool
) -> None:
    api.ice_servers_status = status
    await start_the_call(page)
    if is_placed:
        await is_live(page)
    else:
        await is_refused(page, "The call could not be placed")
        assert api.offers == []


SAY = """
async (count) => {
    const { Transcript } = await import("/call/static/transcript.js");
    window.said ??= new Transcript(document.getElementById("transcript"));
    for (let each = 0; each < count; each++) {
        window.number = (window.number ?? 0) + 1;
        window.said.utterance({
            utterance: `u${window.number}`,
            speaker: each % 2 ? "user" : "agent",
            text: `Number ${window.number}: the clinic is open from nine to five on weekdays.`,
            is_final: true,
        });
    }
}
"""
"""What the data channel tells of a long conversation."""
NARROW = {"width": 390, "height": 844}


async def in_view(page: Page, number: int) -> None:
    newest = page.locator("#transcript li", has_text=f"Number {number}:")
    await expect(newest).to_be_in_viewport(ratio=0.99)


SAY_ALONE = """
async (text) => {
    const { Transcript } = await import("/call/static/transcript.js");
    const said = new Transcript(document.getElementById("transcript"));
    said.utterance({ utterance: "u1", speaker: "user", text, is_final: true });
    return getComputedStyle(document.querySelector("#transcript li span")).direction;
}
"""


async def test_words_of_a_right_to_left_language_begin_on_the_right(page: Page) -> None:
    assert await page.evaluate(SAY_ALONE, "\u05e9\u05dc\u05d5\u05dd!") == "rtl"
    assert await page.evaluate(SAY_ALONE, "Hello!") == "ltr"


async def test_the_agents_name_is_there_before_the_call(page: Page) -> None:
    await expect(page.get_by_role("heading", name="Reception")).to_be_visible(timeout=WAIT_MS)
    await expect(page).to_have_title("Reception · Switchboard")
    await expect(page.locator("#trouble")).to_be_hidden()


@pytest.mark.parametrize(
    ("link", "status", "words"),
    [
        (f"?agent={AGENT_ID}#key=sb_publishable_1", 401, "This link's key is not valid any more."),
        (f"?agent={AGENT_ID}#key=sb_publishable_1", 404, "This agent does not exist."),
        (f"?agent={AGENT_ID}#key=sb_publishable_1", 423, "This agent is paused."),
        (f"?agent={AGENT_ID}", 200, "This link is not complete."),
        ("?agent=reception#key=sb_publishable_1", 200, "This link is not complete."),
        ("#call=7&token=x", 200, "This link is not complete."),
    ],
)
async def test_a_bad_link_is_explained_in_sentences_before_anybody_calls(
    page: Page, api: PlayedApi, link: str, status: int, words: str
) -> None:
    api.card_status, api.card = status, {"detail": "The operator's own words"}
    await page.goto("about:blank")
    await page.goto(f"{ORIGIN}/call{link}")
    await is_refused(page, words)
    if status == 423:
        await is_refused(page, "The operator's own words. ")
    advice = await page.locator("#trouble-advice").text_content()
    assert advice is not None
    assert advice.endswith(".")


@pytest.mark.parametrize("size", [NARROW, {"width": 320, "height": 568}])
async def test_the_newest_words_are_in_view_on_a_phone(page: Page, size: Any) -> None:
    await page.set_viewport_size(size)
    await start_the_call(page)
    await is_live(page)
    await page.evaluate(SAY, 30)
    await in_view(page, 30)
    await page.evaluate(SAY, 1)
    await in_view(page, 31)
    await expect(page.get_by_role("button", name="End")).to_be_in_viewport(ratio=1)
    assert await page.evaluate("document.documentElement.scrollHeight <= innerHeight")


async def test_a_new_size_of_the_window_keeps_the_place_in_the_transcript(page: Page) -> None:
    await page.set_viewport_size(NARROW)
    await start_the_call(page)
    await is_live(page)
    await page.evaluate(SAY, 40)
    for width, height in ((1280, 720), (390, 500), (844, 390), (390, 844)):
        await page.set_viewport_size({"width": width, "height": height})
        await in_view(page, 40)
    await page.evaluate("document.getElementById('transcript').scrollTop = 0")
    await page.locator("#transcript li", has_text="Number 15:").scroll_into_view_if_needed()
    await in_view(page, 15)
    for width, height in ((1280, 720), (390, 844)):
        await page.set_viewport_size({"width": width, "height": height})
        await page.wait_for_function("new Promise(requestAnimationFrame)")
        first = await page.evaluate(FIRST_IN_VIEW)
        assert 5 <= first <= 15, first
    await page.evaluate(SAY, 1)
    assert await page.evaluate(FIRST_IN_VIEW) <= 15, "who reads is not torn away"


FIRST_IN_VIEW = """
() => {
    const top = document.getElementById("transcript").getBoundingClientRect().top;
    const items = [...document.querySelectorAll("#transcript li")];
    const first = items.find((item) => item.getBoundingClientRect().bottom > top);
    return Number(/\\d+/.exec(first.textContent)[0]);
}
"""


async def test_after_the_call_the_person_sees_what_came_of_it_and_rates_it(
    page: Page, api: PlayedApi
) -> None:
    await start_the_call(page)
    await is_live(page)
    await expect(page.locator("#outcome")).to_be_hidden()
    await page.get_by_role("button", name="End").click()
    outcome = page.get_by_role("region", name="After the call")
    await expect(outcome).to_be_visible()
    address = f"{ORIGIN}/v1/recordings/1/stereo_mix.ogg?token=1"
    api.joined |= {
        "ended_at": "2026-01-05T09:30:00Z",
        "duration_seconds": 64.6,
        "intelligence_status": "pending",
        "summary": None,
        "recording": {
            "status": "completed",
            "metadata": {"stereo_mix": None, "stereo_mix_ogg": {"signed_url": address}},
        },
    }
    await page.clock.run_for(2_500)
    await expect(outcome).to_contain_text("1 min 5 s")
    await expect(outcome).to_contain_text("It is being written")
    await expect(page.get_by_label("Recording of the call")).to_have_attribute("src", address)
    api.joined |= {"intelligence_status": "completed", "summary": "Ada booked a table."}
    await page.clock.run_for(2_500)
    await expect(outcome).to_contain_text("Ada booked a table.")

    bad = page.get_by_role("button", name="Bad")
    await bad.click()
    await expect(bad).to_have_attribute("aria-pressed", "true")
    await expect(outcome).to_contain_text("Thank you. It is saved.")
    await page.get_by_label("In a word, why?").fill("It did not know the prices.")
    await page.get_by_role("button", name="Send").click()
    await page.wait_for_function("() => document.getElementById('feedback-note').textContent")
    assert api.feedback == [
        {"rating": "down", "comment": None},
        {"rating": "down", "comment": "It did not know the prices."},
    ]
    await page.get_by_role("button", name="Call again").click()
    await expect(outcome).to_be_hidden()
