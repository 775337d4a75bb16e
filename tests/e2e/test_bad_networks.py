"""Spoken calls over networks that lose, delay and stop packets go on, and are billed right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

import pytest

from runtime.media.liveness import AWAY_AFTER_SECONDS
from switchboard.demo.evidence import Evidence
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.far_call import (
    PROGRAMS,
    assert_caller_hung_up,
    assert_everything_was_heard,
    assert_everything_was_understood,
    connection_states,
    far_call,
    nothing_more,
)
from tests.e2e.far_network import BLACKOUT, CLEAR, Condition, FarNetwork, far_network
from tests.e2e.running_call import RunningCall, assert_billed_once

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

BLACKOUT_SECONDS = 10.0
ROUNDING_SECONDS = 1.5
HANDSHAKE_SECONDS = 4.0
"""Two repetitions of DTLS's last flight, after 1 s and 2 s. Only a very bad line needs both."""


@pytest.fixture(scope="module")
def system(switchboard: LiveSwitchboard) -> LiveSwitchboard:
    """With an account of its own: what other tests have reserved comes back at any time."""
    return LiveSwitchboard.at(switchboard.api_url, switchboard.data_dir, switchboard.operator_token)


@pytest.fixture
async def far(
    require_program: Callable[..., str], system: LiveSwitchboard
) -> AsyncIterator[FarNetwork]:
    for program in PROGRAMS:
        require_program(program)
    async with far_network(system.port) as network:
        yield network


@pytest.mark.parametrize(
    ("condition", "assert_words", "unbilled_seconds"),
    [
        pytest.param(
            Condition(loss=0.05), assert_everything_was_understood, ROUNDING_SECONDS, id="5 % loss"
        ),
        pytest.param(
            Condition(loss=0.20), assert_everything_was_heard, HANDSHAKE_SECONDS, id="20 % loss"
        ),
        pytest.param(
            Condition(longest_delay_ms=200),
            assert_everything_was_understood,
            ROUNDING_SECONDS,
            id="200 ms jitter",
        ),
    ],
)
async def test_a_bad_line_costs_neither_words_nor_money(
    far: FarNetwork,
    system: LiveSwitchboard,
    condition: Condition,
    assert_words: Callable[[Evidence], None],
    unbilled_seconds: float,
) -> None:
    far.condition = condition

    call, summary, evidence = await far_call(far, system, nothing_more)

    assert_caller_hung_up(call, summary, evidence)
    assert_words(evidence)
    assert all(state == "connected" for state, _ in connection_states(call))
    assert_billed_once(evidence)
    # Handshakes and requests lose packets, too, so one side knows of the beginning and of the end
    # before the other.
    longest_seconds = call.left_at - call.connected_at
    assert evidence.call.bill_duration > summary.connected_seconds - unbilled_seconds
    assert evidence.call.bill_duration < longest_seconds + ROUNDING_SECONDS


async def test_ten_seconds_without_any_packet_are_waited_for_and_not_billed(
    far: FarNetwork, system: LiveSwitchboard
) -> None:
    async def black_out(call: RunningCall) -> None:
        far.condition = BLACKOUT
        await asyncio.sleep(BLACKOUT_SECONDS)
        far.condition = CLEAR

    call, summary, evidence = await far_call(far, system, black_out)

    assert_caller_hung_up(call, summary, evidence)
    assert_everything_was_understood(evidence)
    assert connection_states(call)[-1] == ("connected", False)
    assert_billed_once(evidence)
    unbilled = summary.connected_seconds - evidence.call.bill_duration
    assert BLACKOUT_SECONDS - 1 < unbilled < BLACKOUT_SECONDS + 6


async def test_a_caller_whose_address_changes_comes_back_and_the_call_goes_on(
    far: FarNetwork, system: LiveSwitchboard
) -> None:
    async def move(call: RunningCall) -> None:
        await asyncio.to_thread(far.change_address)

    call, summary, evidence = await far_call(far, system, move)

    assert_caller_hung_up(call, summary, evidence)
    assert_everything_was_understood(evidence)
    assert connection_states(call)[-1] == ("connected", False)
    assert_billed_once(evidence)
    assert AWAY_AFTER_SECONDS < summary.connected_seconds - evidence.call.bill_duration < 15
