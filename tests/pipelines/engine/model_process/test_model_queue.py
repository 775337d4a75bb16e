"""Work for one model takes turns."""

from __future__ import annotations

import asyncio

import pytest

from pipelines.engine.model_process.model_queue import ModelQueue
from tests.pipelines.engine.model_process.fake_models import Gate


class Clock:
    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def gate() -> Gate:
    gate = Gate()
    gate.close()
    return gate


def queued(queue: ModelQueue, gate: Gate, *names: str) -> list[asyncio.Task[None]]:
    return [asyncio.create_task(queue.run(lambda name=name: gate.passed(name))) for name in names]


async def test_one_piece_at_a_time_first_come_first_served(gate: Gate) -> None:
    queue = ModelQueue("hibari")
    work = queued(queue, gate, "a", "b", "c")
    assert await gate.begun.get() == "a"
    assert gate.begun.empty()
    gate.open()
    await asyncio.gather(*work)
    assert gate.done == ["a", "b", "c"]


async def test_a_queue_is_idle_when_nothing_runs_and_nothing_waits(gate: Gate) -> None:
    queue = ModelQueue("hibari")
    assert queue.is_idle
    work = queued(queue, gate, "a")
    await gate.begun.get()
    assert not queue.is_idle
    gate.open()
    await asyncio.gather(*work)
    assert queue.is_idle


async def test_cancelled_work_that_has_not_begun_is_dropped(gate: Gate) -> None:
    queue = ModelQueue("hibari")
    first, second, third = queued(queue, gate, "a", "b", "c")
    await gate.begun.get()
    second.cancel()
    gate.open()
    await asyncio.gather(first, third)
    assert gate.done == ["a", "c"]
    assert second.cancelled()


async def test_cancelled_work_that_has_begun_keeps_its_turn_to_the_end(gate: Gate) -> None:
    queue = ModelQueue("hibari")
    first, second = queued(queue, gate, "a", "b")
    await gate.begun.get()
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert gate.begun.empty()
    gate.open()
    await second
    assert gate.done == ["a", "b"]


async def test_work_that_fails_gives_its_turn_to_the_next(gate: Gate) -> None:
    async def fail() -> None:
        raise ValueError("broken")

    queue = ModelQueue("hibari")
    gate.open()
    failing = asyncio.create_task(queue.run(fail))
    (next_one,) = queued(queue, gate, "a")
    with pytest.raises(ValueError, match="broken"):
        await failing
    await next_one


async def test_the_age_is_that_of_the_oldest_work_that_waits(gate: Gate) -> None:
    clock = Clock()
    queue = ModelQueue("hibari", clock)
    running = queued(queue, gate, "a")
    await gate.begun.get()
    assert queue.oldest_seconds == 0
    clock.seconds = 1.0
    waiting = queued(queue, gate, "b")
    await asyncio.sleep(0)
    clock.seconds = 3.0
    later = queued(queue, gate, "c")
    await asyncio.sleep(0)
    clock.seconds = 3.5
    assert queue.oldest_seconds == 2.5
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)
    assert queue.oldest_seconds == 0.5
    gate.open()
    await asyncio.gather(*running, *later)
    assert queue.oldest_seconds == 0
