"""A spoken call whose caller is in the far network, and what must be true of every such call."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from difflib import SequenceMatcher

from contracts.live_messages import ParticipantStateChanged
from switchboard.caller.reports import AgentAudible, CallSummary, Live
from switchboard.demo.evidence import Evidence, collect
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.far_network import FarNetwork, forwarding
from tests.e2e.running_call import RunningCall, running_call, segments_said_by

PROGRAMS = ("ip", "nsenter", "unshare")
"""That a far network needs."""
LINES = ("Hi, I would like to book an appointment.", "No, this is my first time.")
_MISHEARD = 0.15
"""Of the letters: losses may cost a sound here and there, never a sentence."""

During = Callable[[RunningCall], Awaitable[None]]


async def nothing_more(call: RunningCall) -> None:
    """For calls during which the network stays as it is."""


async def far_call(
    far: FarNetwork, system: LiveSwitchboard, during: During
) -> tuple[RunningCall, CallSummary, Evidence]:
    """One call from the far network. ``during`` begins with the agent's second turn."""

    async def in_the_far_network() -> tuple[RunningCall, CallSummary]:
        async with (
            forwarding("127.0.0.1", system.port, far.near_address),
            system.api() as api,
            running_call(system, api, LINES) as call,
        ):
            await heard(call, 2)
            await during(call)
            return call, await call.finished()

    async with system.api() as api:
        before = await api.billing.balance()
        call, summary = await far.run(in_the_far_network)
        return call, summary, await collect(api, summary, before)


async def heard(call: RunningCall, turns: int) -> None:
    """Wait until the agent is audible for the ``turns``-th time."""
    async with asyncio.timeout(60):
        while sum(isinstance(each, AgentAudible) for each in call.reports) < turns:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


def assert_everything_was_understood(evidence: Evidence) -> None:
    said = " ".join(segments_said_by(evidence.transcript, "user")).lower()
    assert said.count("appointment") == 1, said
    assert said.count("first time") == 1, said
    assert_nothing_began_again(evidence)


def assert_everything_was_heard(evidence: Evidence) -> None:
    """As sounds: with many losses the recogniser may write some of them as other words."""
    said = " ".join(segments_said_by(evidence.transcript, "user"))
    alike = SequenceMatcher(None, _letters(" ".join(LINES)), _letters(said), autojunk=False)
    assert alike.ratio() >= 1 - _MISHEARD, said
    assert_nothing_began_again(evidence)


def assert_nothing_began_again(evidence: Evidence) -> None:
    agent = segments_said_by(evidence.transcript, "agent")
    assert sum("this is mia" in each.lower() for each in agent) == 1, agent
    assert not any("still there" in each.lower() for each in agent), "nobody is asked"


def _letters(text: str) -> str:
    return "".join(letter for letter in text.lower() if letter.isalpha())


def assert_caller_hung_up(call: RunningCall, summary: CallSummary, evidence: Evidence) -> None:
    """Told with what the caller saw and how the call ended on the record, because a network that
    ended a call is not there any more to be looked at."""
    assert summary.ended_by == "caller", (
        f"{evidence.call.end_reason}; the caller saw: {call.reports}"
    )


def connection_states(call: RunningCall) -> list[tuple[str, bool]]:
    """Each state of the caller that the agent's side told, and whether the caller may return."""
    return [
        (each.body.state, each.body.may_return)
        for each in call.reports
        if isinstance(each, Live) and isinstance(each.body, ParticipantStateChanged)
    ]
