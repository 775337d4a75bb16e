"""Work that is shorter than the way to another thread and back."""

from __future__ import annotations

import asyncio
import threading

import pytest

from pipelines.engine.inline_executor import InlineExecutor


async def test_work_is_done_in_the_thread_that_asks_for_it() -> None:
    thread = await asyncio.get_running_loop().run_in_executor(InlineExecutor(), threading.get_ident)
    assert thread == threading.get_ident()


async def test_what_the_work_raises_comes_back() -> None:
    with pytest.raises(ValueError, match="invalid literal"):
        await asyncio.get_running_loop().run_in_executor(InlineExecutor(), int, "one")


async def test_the_result_is_there_at_once() -> None:
    """Nobody is woken for it: the loop takes no turn between the work and its result."""
    result = asyncio.get_running_loop().run_in_executor(InlineExecutor(), int, "1")
    assert result.done()
    assert await result == 1
