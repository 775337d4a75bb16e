"""Who has ended a call at the microphone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import cast

import pytest

from contracts.live_messages import CallOver, LiveMessage
from switchboard.caller import microphone_session
from switchboard.caller.microphone import Microphone
from switchboard.caller.peer import CallerPeer
from switchboard.caller.placed_call import PlacedCall, Stopped
from switchboard.caller.reports import Report
from switchboard_client.webrtc.connection import ReceivedFrame

CALL = PlacedCall("call-1", "http://nowhere", "token", requested_at=0.0)


class SilentPeer:
    """The other side sends no sound, and says good-bye or not."""

    end_of_sound = CallerPeer.end_of_sound
    says: CallOver | None = None
    is_lost = False

    def __init__(
        self,
        source: Microphone,
        on_message: Callable[[LiveMessage], None],
        report: Callable[[Report], None],
    ) -> None:
        self._on_message = on_message

    async def connect(self, url: str, token: str) -> float:
        return 1.0

    async def listen(self) -> AsyncIterator[ReceivedFrame]:
        if self.says is not None:
            self._on_message(LiveMessage(body=self.says))
        if not self.is_lost:
            await asyncio.Event().wait()
        for frame in ():
            yield frame

    async def leave(self) -> None:
        """Nobody is there."""


@pytest.fixture(autouse=True)
def silent_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microphone_session, "CallerPeer", SilentPeer)


async def talk(stop: asyncio.Event) -> tuple[str, str | None]:
    async with asyncio.timeout(5):
        return await microphone_session.talk(CALL, cast(Microphone, None), lambda _: None, stop)


async def test_a_connection_that_is_lost_for_good_is_no_hang_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(SilentPeer, "is_lost", True)
    assert await talk(asyncio.Event()) == ("connection_lost", None)


@pytest.mark.parametrize("is_lost", [False, True])
async def test_a_call_that_the_agent_ends_has_its_reason(
    monkeypatch: pytest.MonkeyPatch, is_lost: bool
) -> None:
    """The connection ends with the call."""
    monkeypatch.setattr(SilentPeer, "says", CallOver(end_reason="end_call_tool"))
    monkeypatch.setattr(SilentPeer, "is_lost", is_lost)
    assert await talk(asyncio.Event()) == ("agent", "end_call_tool")


async def test_ctrl_c_hangs_up() -> None:
    stop = asyncio.Event()
    asyncio.get_running_loop().call_soon(stop.set)
    assert await talk(stop) == ("caller", None)


async def test_ctrl_c_while_it_connects_hangs_up(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = asyncio.Event()

    async def connect(*_: object) -> float:
        stop.set()
        await asyncio.Event().wait()
        return 1.0

    monkeypatch.setattr(SilentPeer, "connect", connect)
    with pytest.raises(Stopped):
        await talk(stop)
