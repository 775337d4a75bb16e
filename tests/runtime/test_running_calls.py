"""Finding a call that is not here yet."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import cast
from uuid import uuid4

from runtime.call.call import Call
from runtime.running_calls import RunningCalls


def a_call() -> Call:
    return cast(Call, SimpleNamespace(plan=SimpleNamespace(call_id=uuid4())))


async def test_everybody_who_waits_for_a_call_gets_it_when_it_comes() -> None:
    calls, call = RunningCalls(), a_call()
    waiting = [asyncio.create_task(calls.wait_for(call.plan.call_id, 5)) for _ in range(2)]
    await asyncio.sleep(0)
    calls.add(call)
    assert await asyncio.gather(*waiting) == [call, call]
    assert list(calls) == [call]


async def test_one_that_gives_up_leaves_the_others_waiting() -> None:
    calls, call = RunningCalls(), a_call()
    patient = asyncio.create_task(calls.wait_for(call.plan.call_id, 5))
    assert await calls.wait_for(call.plan.call_id, 0) is None
    calls.add(call)
    assert await patient is call


async def test_a_call_that_is_over_is_not_found() -> None:
    calls, call = RunningCalls(), a_call()
    calls.add(call)
    assert calls.find(call.plan.call_id) is call
    calls.remove(call)
    assert calls.find(call.plan.call_id) is None
    assert await calls.wait_for(call.plan.call_id, 0) is None
