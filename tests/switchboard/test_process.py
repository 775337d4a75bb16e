"""Signals, sent to ourselves."""

from __future__ import annotations

import asyncio
import os
import signal

from switchboard.process import run_until_stopped


async def test_sigterm_lets_the_work_finish() -> None:
    steps: list[str] = []

    async def work(stop: asyncio.Event) -> None:
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()
        await asyncio.sleep(0)
        steps.append("finished")

    await run_until_stopped(work)
    assert steps == ["finished"]


async def _interrupted_by(*signals: signal.Signals) -> bool:
    outcome: list[bool] = []

    async def work(_stop: asyncio.Event) -> None:
        for number in signals:
            os.kill(os.getpid(), number)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            outcome.append(True)
            raise

    await run_until_stopped(work)
    return outcome == [True]


async def test_sigint_ends_it_now() -> None:
    assert await _interrupted_by(signal.SIGINT)


async def test_a_second_sigterm_ends_it_now() -> None:
    assert await _interrupted_by(signal.SIGTERM, signal.SIGTERM)
