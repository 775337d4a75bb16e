"""What a program hears of errors that nobody expects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from switchboard_client.webrtc.leg import CallLeg, LegState
from switchboard_client.webrtc.whip import WhipSession


class BrokenConnection:
    was_closed = False
    has_failed = True

    def __init__(self) -> None:
        self.heard_at = time.monotonic()
        self.is_open = True

    async def open(self, whip: WhipSession, timeout_seconds: float) -> float:
        raise ZeroDivisionError

    async def close(self) -> None:
        self.is_open = False


class Interrupted(CallLeg):
    """Has lost its connection and makes new ones that are broken, too."""

    def __init__(self, on_state: Callable[[LegState], None] | None = None) -> None:
        super().__init__(cast("Any", None), on_state=on_state)
        self.made = [BrokenConnection()]
        self._connection = cast("Any", self.made[0])
        whip = WhipSession("http://127.0.0.1/", "token")
        self._watching = asyncio.create_task(self._watch(whip))

    def _new_connection(self) -> Any:
        self.made.append(BrokenConnection())
        return self.made[-1]


async def test_an_error_of_the_program_s_own_on_state_ends_listening_with_it() -> None:
    def on_state(state: LegState) -> None:
        raise KeyError(state)

    async with asyncio.timeout(5), Interrupted(on_state) as leg:
        with pytest.raises(KeyError, match="reconnecting"):
            await anext(leg.listen())


async def test_an_unexpected_error_of_a_new_connection_closes_it_and_ends_listening() -> None:
    async with asyncio.timeout(5), Interrupted() as leg:
        with pytest.raises(ZeroDivisionError):
            await anext(leg.listen())
        assert [each.is_open for each in leg.made] == [True, False]
    assert not any(each.is_open for each in leg.made)


async def test_listening_ends_without_an_error_when_the_program_leaves() -> None:
    leg = Interrupted()
    await leg.leave()
    assert [frame async for frame in leg.listen()] == []
