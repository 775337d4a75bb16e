"""What a program hears of errors that nobody expects."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any, cast

import pytest

from switchboard_client import ApiError
from switchboard_client.problems import CallOver, NoCapacity, NoWorker
from switchboard_client.webrtc.leg import ROOM_SECONDS, CallLeg, LegState
from switchboard_client.webrtc.whip import WhipSession

WHIP = WhipSession("http://127.0.0.1/", "token")


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


class FullRoom(BrokenConnection):
    """Whose first offers are answered with ``refusals``."""

    def __init__(self, refusals: list[ApiError]) -> None:
        super().__init__()
        self._refusals = refusals

    async def open(self, whip: WhipSession, timeout_seconds: float) -> float:
        if self._refusals:
            raise self._refusals.pop(0)
        return time.monotonic()


class Queueing(CallLeg):
    def __init__(self, *refusals: ApiError) -> None:
        super().__init__(cast("Any", None))
        self._refusals = list(refusals)
        self.made: list[FullRoom] = []

    def _new_connection(self) -> Any:
        self.made.append(FullRoom(self._refusals))
        return self.made[-1]


class Interrupted(CallLeg):
    """Has lost its connection and makes new ones that are broken, too."""

    def __init__(self, on_state: Callable[[LegState], None] | None = None) -> None:
        super().__init__(cast("Any", None), on_state=on_state)
        self.made = [BrokenConnection()]
        self._connection = cast("Any", self.made[0])
        self._watching = asyncio.create_task(self._watch(WHIP))

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


async def test_a_call_that_waits_for_a_worker_is_waited_for() -> None:
    leg = Queueing(*(kind(503, "", retry_after_seconds=0.01) for kind in (NoWorker, NoCapacity)))
    async with asyncio.timeout(5):
        assert await leg._first_connection(WHIP) <= time.monotonic()
    assert [each.is_open for each in leg.made] == [False, False, True]


@pytest.mark.parametrize(
    "refused",
    [CallOver(410, ""), NoWorker(503, "", retry_after_seconds=ROOM_SECONDS + 1)],
    ids=["the call is over", "the wait is too long"],
)
async def test_a_refusal_that_does_not_pass_is_raised_at_once(refused: ApiError) -> None:
    leg = Queueing(refused)
    async with asyncio.timeout(5):
        with pytest.raises(type(refused)):
            await leg._first_connection(WHIP)
    assert len(leg.made) == 1
