"""What a call opened is closed whatever a part of it does, in virtual time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from contracts.call_plan import CallPlan
from contracts.events import EventBody
from runtime.call.call import Call
from runtime.call.closing import CLOSE_SECONDS
from runtime.call.end_cause import Cause, Ending
from tests.runtime.call.stage import Stage, connected, play
from tests.runtime.fakes import CALLER, call_plan, phone_plan
from tests.runtime.recording.stores import MemoryPartStore


async def _hangs_again_when_it_is_cancelled(call: Call) -> None:
    try:
        await asyncio.sleep(1_000)
    finally:
        call.log("info", "the last words")
        await asyncio.sleep(1_000)


async def _awaits_a_task_that_was_cancelled(call: Call) -> None:
    call.log("info", "the last words")
    task = asyncio.create_task(asyncio.sleep(1_000))
    task.cancel()
    await task


@pytest.mark.parametrize(
    "closes", [_hangs_again_when_it_is_cancelled, _awaits_a_task_that_was_cancelled]
)
def test_a_conversation_that_does_not_close_keeps_neither_the_recording_nor_the_call_open(
    closes: Callable[[Call], Awaitable[None]],
):
    hung_up_at: list[float] = []

    async def script(stage: Stage) -> None:
        await connected(stage)
        await asyncio.sleep(3)
        stage.conversation.aclose = partial(closes, stage.call)
        hung_up_at.append(asyncio.get_running_loop().time())
        await stage.call.remove_leg(CALLER)

    stage = play(script, parts=MemoryPartStore())
    assert stage.journal.types()[-3:] == ["logged", "recording.stopped", "call.ended"]
    assert stage.ended_at - hung_up_at[0] < CLOSE_SECONDS + 1


@pytest.mark.parametrize(
    ("plan", "failing"),
    [
        pytest.param(phone_plan(), "room.opened", id="held back until it is certain"),
        pytest.param(call_plan(), "leg.left", id="while the room is closed"),
    ],
)
def test_a_fact_that_cannot_be_written_leaves_no_room_open(plan: CallPlan, failing: str):
    stages: list[Stage] = []

    async def script(stage: Stage) -> None:
        stages.append(stage)
        append = stage.journal.append

        def fails(body: EventBody) -> None:
            if body.type == failing:
                raise KeyError("a fault of ours")
            append(body)

        stage.journal.append = fails
        if not stage.call.is_reserved:
            await connected(stage)
        await asyncio.sleep(1)
        stage.call.end(Ending.because(Cause.AGENT_HUNG_UP))
        await asyncio.sleep(100)

    with contextlib.suppress(ExceptionGroup):
        play(script, plan=plan)
    [stage] = stages
    assert stage.room.closed
    assert stage.journal.types()[-1] == "call.ended"
