"""Signals, sent to ourselves."""

from __future__ import annotations

import asyncio
import os
import signal

from switchboard.process import run_until_stopped, run_watched
from switchboard.readiness import http_ready
from switchboard.services.ports import LOOPBACK, free_port
from telemetry.health import Health
from telemetry.process_name import ProcessName
from telemetry.settings import TelemetryOptions


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


async def test_a_process_that_drains_is_not_ready() -> None:
    options = TelemetryOptions(monitoring_port=free_port())
    assert options.monitoring_port is not None
    is_ready = http_ready(LOOPBACK, options.monitoring_port)
    seen: list[bool] = []

    async def good() -> bool:
        return True

    async def work(stop: asyncio.Event, health: Health) -> None:
        seen.append(await is_ready(0))
        health.watch("never wrong", good)
        seen.append(await is_ready(0))
        os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()
        seen.append(await is_ready(0))

    await run_watched(ProcessName.WORKER, options, work)
    assert seen == [False, True, False]
