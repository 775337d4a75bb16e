"""A process is ready when it has said what it needs, has it, and is not stopping."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from telemetry.health import Health


async def good() -> bool:
    return True


async def bad() -> bool:
    return False


async def breaks() -> bool:
    raise RuntimeError("a fault of ours")


async def hangs() -> bool:
    await asyncio.Event().wait()
    return True


async def test_a_process_that_has_not_said_what_it_needs_is_starting() -> None:
    assert await Health().faults() == ["The process is starting."]


async def test_every_fault_is_named() -> None:
    health = Health()
    health.watch("PostgreSQL does not answer.", bad)
    health.watch("Redis does not answer.", good)
    health.watch("The models are not loaded yet.", bad)
    assert await health.faults() == [
        "PostgreSQL does not answer.",
        "The models are not loaded yet.",
    ]


async def test_a_check_that_does_not_answer_in_time_is_a_fault(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("telemetry.health.CHECK_SECONDS", 0)
    health = Health()
    health.watch("Redis does not answer.", hangs)
    assert await health.faults() == ["Redis does not answer."]


async def test_a_check_that_fails_is_a_fault_and_its_error_is_logged() -> None:
    health = Health()
    health.watch("The models are not loaded yet.", breaks)
    health.watch("Redis does not answer.", bad)
    with capture_logs() as logs:
        faults = await health.faults()
    assert faults == ["The models are not loaded yet.", "Redis does not answer."]
    [logged] = logs
    assert (logged["log_level"], logged["fault"]) == ("error", "The models are not loaded yet.")


async def test_a_process_that_stops_is_not_ready_whatever_it_has() -> None:
    health = Health()
    health.watch("Redis does not answer.", good)
    assert await health.faults() == []
    health.is_stopping = lambda: True
    assert await health.faults() == ["The process is stopping."]
