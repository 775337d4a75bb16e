"""A caller's network fails in the middle of a call and comes back under another address."""

from __future__ import annotations

import asyncio
import time

import pytest

from contracts.live_messages import ParticipantStateChanged
from switchboard.caller.reports import AgentAudible, Live
from switchboard.demo.evidence import collect
from switchboard_client.webrtc import leg as leg_module
from switchboard_client.webrtc.connection import MediaConnection
from tests.e2e.conftest import LiveSwitchboard
from tests.e2e.running_call import RunningCall, assert_billed_once, running_call, segments_said_by

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(240)]

LINES = ("Hi, I would like to book an appointment.", "No, this is my first time.")


def cut(connection: MediaConnection) -> None:
    """From now on nothing goes out or comes in over ``connection``, and nobody is told."""

    async def lose(*_: object) -> None: ...

    ice = connection._peer.getTransceivers()[0].receiver.transport.transport.iceGatherer
    for protocol in ice._connection._protocols:
        protocol.send_data = lose
        protocol.send_stun = lambda *_: None
        protocol.datagram_received = lambda *_: None


async def back(connections: list[MediaConnection]) -> float:
    """When a second connection was up, in monotonic seconds."""
    async with asyncio.timeout(25):
        while len(connections) < 2 or not connections[-1].heard_at:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return connections[-1].heard_at


async def heard(call: RunningCall, turns: int) -> None:
    """Wait until the agent is audible for the ``turns``-th time."""
    async with asyncio.timeout(60):
        while sum(isinstance(each, AgentAudible) for each in call.reports) < turns:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_a_caller_comes_back_from_another_address_and_the_call_goes_on(
    switchboard: LiveSwitchboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    connections: list[MediaConnection] = []

    class Noted(MediaConnection):
        def __init__(self, *arguments: object, **named: object) -> None:
            super().__init__(*arguments, **named)  # type: ignore[arg-type]
            connections.append(self)

    monkeypatch.setattr(leg_module, "MediaConnection", Noted)
    async with switchboard.api() as api:
        before = await api.billing.balance()
        async with running_call(switchboard, api, LINES) as call:
            await heard(call, 2)
            lost_at = time.monotonic()
            cut(connections[0])
            away_seconds = await back(connections) - lost_at
            summary = await call.finished()
        evidence = await collect(api, summary, before)

    assert 3.0 < away_seconds < 15.0
    assert summary.ended_by == "caller"
    said = " ".join(segments_said_by(evidence.transcript, "user")).lower()
    assert "appointment" in said
    assert "first time" in said, "the call goes on where it was interrupted"
    agent = segments_said_by(evidence.transcript, "agent")
    assert sum("this is mia" in each.lower() for each in agent) == 1, "nothing begins again"
    assert not any("still there" in each.lower() for each in agent), "nobody is asked"
    assert_billed_once(evidence)
    assert evidence.call.bill_duration == pytest.approx(
        summary.connected_seconds - away_seconds, abs=1.5
    )
    states = [
        (each.body.state, each.body.may_return)
        for each in call.reports
        if isinstance(each, Live) and isinstance(each.body, ParticipantStateChanged)
    ]
    assert states[-1] == ("connected", False)
