"""Signals, sent to ourselves."""

from __future__ import annotations

import asyncio
import os
import signal

import pytest

from switchboard.processes.accept_failures import AcceptFailures
from switchboard.processes.process import run_until_stopped, run_watched
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


async def test_sigterms_that_come_together_are_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """systemd tells a worker to stop, and so does the worker's host, which systemd tells, too."""
    loop, seconds = asyncio.get_running_loop(), 60.0
    steps: list[str] = []

    async def work(stop: asyncio.Event) -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGTERM)
        await stop.wait()
        await asyncio.sleep(0)
        steps.append("goes on")
        later = loop.time() + seconds
        monkeypatch.setattr(loop, "time", lambda: later)
        os.kill(os.getpid(), signal.SIGTERM)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            steps.append("canceled")
            raise

    await run_until_stopped(work, together_seconds=seconds)
    assert steps == ["goes on", "canceled"]


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


async def test_a_process_that_has_no_files_left_does_not_fill_its_log() -> None:
    handlers: list[object] = []

    async def work(stop: asyncio.Event, health: Health) -> None:
        handlers.append(asyncio.get_running_loop().get_exception_handler())

    await run_watched(ProcessName.BRIDGE, TelemetryOptions(monitoring_port=None), work)
    assert isinstance(handlers[0], AcceptFailures)
