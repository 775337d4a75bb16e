"""A program is told that a call is over, and not that its connection is lost."""

from __future__ import annotations

import asyncio

from runtime.media.local_room import LocalRoom
from switchboard_client.webrtc.connection import MediaConnection
from tests.runtime.media.network.test_turn import RoomItself
from tests.stand_ins.silence import Silence


async def test_a_connection_that_the_room_closes_has_not_failed() -> None:
    room = LocalRoom("test")
    caller = MediaConnection(Silence(), (), lambda _: None, None)
    try:
        await caller.open(RoomItself(room), 10.0)
        await room.aclose()
        async with asyncio.timeout(10):
            while not caller.was_closed:
                assert not caller.has_failed
                await asyncio.sleep(0.01)
        # The library has closed its own side by now, which must not look like a loss.
        await asyncio.sleep(0.2)
        assert caller.was_closed
        assert not caller.has_failed
    finally:
        await caller.close()
        await room.aclose()
