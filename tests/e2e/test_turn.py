"""Callers whose network lets nothing through but a TURN server, and what happens when it stalls."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator

import pytest
from playwright.async_api import Page, expect

from switchboard_client import AsyncSwitchboard
from switchboard_client.models import CallDetail
from tests.e2e.conftest import LiveSwitchboard, running_switchboard
from tests.e2e.far_call import (
    PROGRAMS,
    assert_everything_was_understood,
    far_call,
    nothing_more,
)
from tests.e2e.far_network import Condition, far_network
from tests.e2e.polling import ended_call
from tests.e2e.running_call import assert_billed_once
from tests.e2e.test_call_page import ALLOW_MICROPHONE, ANSWER_MS, hang_up, opened_page
from tests.stand_ins.turn_server import SECRET, TurnServer, turn_server

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

RELAY_ONLY = """
(() => {
  window.RTCPeerConnection = class extends RTCPeerConnection {
    constructor(configuration) {
      super({ ...configuration, iceTransportPolicy: "relay" });
    }
  };
})();
"""


@pytest.fixture(scope="module")
def turn(
    require_program: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[TurnServer]:
    with turn_server(require_program("turnserver"), tmp_path_factory.mktemp("turn")) as server:
        yield server


@pytest.fixture(scope="module")
def system(turn: TurnServer) -> Iterator[LiveSwitchboard]:
    with running_switchboard(
        SWITCHBOARD_ICE_SERVERS=turn.url, SWITCHBOARD_TURN_SECRET=SECRET
    ) as system:
        yield system


async def test_a_call_is_spoken_through_the_relay_where_nothing_else_passes(
    require_program: Callable[..., str], system: LiveSwitchboard, turn: TurnServer
) -> None:
    for program in PROGRAMS:
        require_program(program)
    async with far_network(system.port) as far:
        far.condition = Condition(only_udp_port=turn.port)
        _, summary, evidence = await far_call(far, system, nothing_more)

    assert summary.ended_by == "caller"
    assert_everything_was_understood(evidence)
    assert_billed_once(evidence)
    assert evidence.call.bill_duration == pytest.approx(summary.connected_seconds, abs=1.5)


@pytest.mark.browser
async def test_the_call_page_calls_through_the_relay_and_reconnects_when_it_is_back(
    chromium: str, system: LiveSwitchboard, turn: TurnServer
) -> None:
    async with opened_page(
        chromium, system.call_page, ALLOW_MICROPHONE, init_script=RELAY_ONLY
    ) as page:
        await page.get_by_role("button", name="Start the call").click()
        said = page.locator("#transcript li[data-final=true]")
        await expect(said.first).to_contain_text("this is Mia", timeout=ANSWER_MS)
        await reconnect_after_a_stall(page, turn)
        await page.wait_for_timeout(1_000)
        call_id = await page.locator("body").get_attribute("data-call")
        await hang_up(page)

    assert call_id is not None
    async with system.api() as api:
        record = await over(api, call_id)
        events = await api.calls.events(call_id, limit=200)
    assert record.end_reason == "participant_disconnected"
    assert "A participant's connection is back" in [each.message for each in events.events]
    elapsed = (record.ended_at - record.started_at).total_seconds()
    assert record.bill_duration < elapsed - 3, "nobody pays for the time away"


async def reconnect_after_a_stall(page: Page, turn: TurnServer) -> None:
    turn.process.send_signal(signal.SIGSTOP)
    try:
        await expect(page.get_by_role("status")).to_have_text("Reconnecting…", timeout=ANSWER_MS)
    finally:
        turn.process.send_signal(signal.SIGCONT)
    await expect(page.locator("body")).to_have_attribute("data-phase", "live", timeout=ANSWER_MS)


async def over(api: AsyncSwitchboard, call_id: str) -> CallDetail:
    await ended_call(api, call_id)
    return await api.calls.show(call_id)
