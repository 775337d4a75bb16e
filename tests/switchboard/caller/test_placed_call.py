"""A call that is not connected, because it is stopped or because it cannot be."""

from __future__ import annotations

import asyncio
from typing import cast

import pytest
from starlette.requests import Request
from starlette.responses import Response

from switchboard.caller.call_session import call_agent
from switchboard.caller.dialogue_policy import LineByLine
from switchboard.caller.placed_call import Stopped
from switchboard.caller.prepared_speech import PreparedSpeech
from switchboard.problems import RequestRefused
from switchboard_client import AsyncSwitchboard
from tests.switchboard.caller.whip_peer import AGENT_ID, API_KEY, CALL_ID, FarEnd, serving

NO_SPEECH = cast(PreparedSpeech, None)


class StoppedWhileItCreates(FarEnd):
    """Its caller hangs up while the API creates the call."""

    def __init__(self, stop: asyncio.Event) -> None:
        super().__init__([])
        self._stop = stop

    async def place(self, request: Request) -> Response:
        self._stop.set()
        return await super().place(request)


class StoppedWhileItConnects(FarEnd):
    """Its caller hangs up while the offer waits for an answer."""

    def __init__(self, stop: asyncio.Event) -> None:
        super().__init__([])
        self._stop = stop
        self._caller_is_gone = asyncio.Event()

    async def offer(self, request: Request) -> Response:
        self._stop.set()
        await self._caller_is_gone.wait()
        return Response(status_code=410)

    async def end(self, request: Request) -> Response:
        self._caller_is_gone.set()
        return await super().end(request)


class Refusing(FarEnd):
    async def offer(self, request: Request) -> Response:
        return Response(status_code=410)


async def call(far_end: FarEnd, stop: asyncio.Event) -> None:
    async with (
        asyncio.timeout(10),
        serving(far_end) as url,
        AsyncSwitchboard(url, API_KEY) as api,
    ):
        await call_agent(api, AGENT_ID, LineByLine([]), NO_SPEECH, lambda _: None, stop)


@pytest.mark.parametrize("far_end_of", [StoppedWhileItCreates, StoppedWhileItConnects])
async def test_a_caller_who_hangs_up_before_the_connection_leaves_no_call_behind(
    far_end_of: type[StoppedWhileItCreates | StoppedWhileItConnects],
) -> None:
    stop = asyncio.Event()
    far_end = far_end_of(stop)
    with pytest.raises(Stopped):
        await call(far_end, stop)
    assert far_end.ended == [CALL_ID]


async def test_a_call_that_cannot_be_connected_is_ended() -> None:
    far_end = Refusing([])
    with pytest.raises(RequestRefused):
        await call(far_end, asyncio.Event())
    assert far_end.ended == [CALL_ID]
