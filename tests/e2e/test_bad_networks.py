"""Spoken calls over networks that lose, delay and stop packets: each goes on and is billed right."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from contracts.live_messages import ParticipantStateChanged
from switchboard.caller.reports import AgentAudible, CallSummary, Live
from switchboard.demo.evidence import Evidence, collect
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.far_network import BLACKOUT, CLEAR, Condition, FarNetwork, far_network, forwarding
from tests.e2e.running_call import RunningCall, assert_billed_once, running_call, segments_said_by

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

LINES = ("Hi, I would like to book an appointment.", "No, this is my first time.")
BLACKOUT_SECONDS = 10.0
AWAY_AFTER_SECONDS = 2.5

During = Callable[[RunningCall], Awaitable[None]]


@pytest.fixture
async def far(
    require_program: Callable[..., str], switchboard: LiveSwitchboard
) -> AsyncIterator[FarNetwork]:
    for program in ("ip", "nsenter", "unshare"):
        require_program(program)
    async with far_network(switchboard.port) as network:
        yield network


async def far_call(
    far: FarNetwork, system: LiveSwitchboard, during: During
) -> tuple[RunningCall, CallSummary, Evidence]:
    """One call from the far network. ``during`` begins with the agent's second turn."""

    async def in_the_far_network() -> tuple[RunningCall, CallSummary, Evidence]:
        async with forwarding("127.0.0.1", system.port, far.near_address), system.api() as api:
            before = await api.billing.balance()
            async with running_call(system, api, LINES) as call:
                await heard(call, 2)
                await during(call)
                summary = await call.finished()
            return call, summary, await collect(api, summary, before)

    return await far.run(in_the_far_network)


async def heard(call: RunningCall, turns: int) -> None:
    """Wait until the agent is audible for the ``turns``-th time."""
    async with asyncio.timeout(60):
        while sum(isinstance(each, AgentAudible) for each in call.reports) < turns:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def assert_everything_was_understood(evidence: Evidence) -> None:
    said = " ".join(segments_said_by(evidence.transcript, "user")).lower()
    assert said.count("appointment") == 1, said
    assert said.count("first time") == 1, said
    agent = segments_said_by(evidence.transcript, "agent")
    assert sum("this is mia" in each.lower() for each in agent) == 1, "nothing begins again"
    assert not any("still there" in each.lower() for each in agent), "nobody is asked"


def connection_states(call: RunningCall) -> list[tuple[str, bool]]:
    """Each state of the caller that the agent's side told, and whether the caller may return."""
    return [
        (each.body.state, each.body.may_return)
        for each in call.reports
        if isinstance(each, Live) and isinstance(each.body, ParticipantStateChanged)
    ]


@pytest.mark.parametrize(
    "condition",
    [
        pytest.param(Condition(loss=0.05), id="5 % loss"),
        pytest.param(Condition(loss=0.20), id="20 % loss"),
        pytest.param(Condition(longest_delay_ms=200), id="200 ms jitter"),
    ],
)
async def test_a_bad_line_costs_neither_words_nor_money(
    far: FarNetwork, switchboard: LiveSwitchboard, condition: Condition
) -> None:
    far.condition = condition

    async def nothing_more(call: RunningCall) -> None: ...

    call, summary, evidence = await far_call(far, switchboard, nothing_more)

    assert summary.ended_by == "caller"
    assert_everything_was_understood(evidence)
    assert all(state == "connected" for state, _ in connection_states(call))
    assert_billed_once(evidence)
    assert evidence.call.bill_duration == pytest.approx(summary.connected_seconds, abs=1.5)


async def test_ten_seconds_without_any_packet_are_waited_for_and_not_billed(
    far: FarNetwork, switchboard: LiveSwitchboard
) -> None:
    async def black_out(call: RunningCall) -> None:
        far.condition = BLACKOUT
        await asyncio.sleep(BLACKOUT_SECONDS)
        far.condition = CLEAR

    call, summary, evidence = await far_call(far, switchboard, black_out)

    assert summary.ended_by == "caller"
    assert_everything_was_understood(evidence)
    assert connection_states(call)[-1] == ("connected", False)
    assert_billed_once(evidence)
    unbilled = summary.connected_seconds - evidence.call.bill_duration
    assert BLACKOUT_SECONDS - 1 < unbilled < BLACKOUT_SECONDS + 6


async def test_a_caller_whose_address_changes_comes_back_and_the_call_goes_on(
    far: FarNetwork, switchboard: LiveSwitchboard
) -> None:
    async def move(call: RunningCall) -> None:
        await asyncio.to_thread(far.change_address)

    call, summary, evidence = await far_call(far, switchboard, move)

    assert summary.ended_by == "caller"
    assert_everything_was_understood(evidence)
    assert connection_states(call)[-1] == ("connected", False)
    assert_billed_once(evidence)
    assert AWAY_AFTER_SECONDS < summary.connected_seconds - evidence.call.bill_duration < 15
