"""What a call opened is closed whatever a part of it does, in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

import pytest

from runtime.call.call import Call
from runtime.call.closing import CLOSE_SECONDS
from tests.runtime.call.stage import Stage, connected, play
from tests.runtime.fakes import CALLER
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
