"""What asyncio reports about tasks that nobody awaits."""

from __future__ import annotations

import asyncio
import gc

from structlog.testing import capture_logs

from runtime.task_errors import TaskErrors, bind_call


async def fails() -> None:
    raise ValueError("no voice")


async def engine_that_forgets_a_task() -> None:
    forgotten = asyncio.create_task(fails(), name="say")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    del forgotten
    gc.collect()


async def one_call(call_id: str) -> None:
    bind_call(call_id)
    await engine_that_forgets_a_task()


async def test_an_error_that_nobody_awaits_is_logged_with_its_call() -> None:
    TaskErrors().install(asyncio.get_running_loop())
    with capture_logs() as logs:
        await asyncio.create_task(one_call("call-1"))
    [failed] = logs
    assert (failed["event"], failed["log_level"]) == ("task.failed", "error")
    assert failed["call_id"] == "call-1"
    assert failed["task"] == "say"
    assert repr(failed["exc_info"]) == "ValueError('no voice')"


async def test_calls_side_by_side_are_told_apart_and_a_task_of_no_call_names_none() -> None:
    TaskErrors().install(asyncio.get_running_loop())
    with capture_logs() as logs:
        await asyncio.gather(*(asyncio.create_task(one_call(f"call-{n}")) for n in range(3)))
        await engine_that_forgets_a_task()
    assert sorted(each["call_id"] for each in logs if "call_id" in each) == [
        "call-0",
        "call-1",
        "call-2",
    ]
    assert len(logs) == 4
