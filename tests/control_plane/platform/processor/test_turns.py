"""Steps of coroutines run in turns, and coroutines notice nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

import pytest

from control_plane.platform.processor.turns import Turns


class Machine:
    """Work takes time only where it says so."""

    def __init__(self) -> None:
        self.now = 100.0
        self.processor = 0.0
        self.turns = Turns(lambda: self.now, lambda: self.processor)
        self.done: list[str] = []

    def compute(self, name: str, seconds: float) -> None:
        self.done.append(name)
        self.now += seconds
        self.processor += seconds

    async def run(self, client: str, work: Awaitable[None]) -> None:
        await self.turns.run(client, work)

    async def have_rivals(self) -> None:
        for client in ("one", "another"):
            await self.run(client, self.steps(client, 1, 0.0))
        self.done.clear()

    async def steps(self, name: str, count: int, seconds: float) -> None:
        """Each is ready again as soon as the event loop has looked."""
        for _ in range(count):
            self.compute(name, seconds)
            await asyncio.sleep(0)

    def big_while_small(self) -> int:
        """How many big steps ran between the first and the last small one."""
        first = self.done.index("small")
        last = len(self.done) - self.done[::-1].index("small")
        return self.done[first:last].count("big")


@pytest.fixture
def machine() -> Machine:
    return Machine()


async def test_each_step_of_a_small_request_waits_for_one_of_a_greedy_client_at_most(
    machine: Machine,
) -> None:
    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(machine.run("greedy", machine.steps("big", 5, 0.02)))
        await asyncio.sleep(0)
        group.create_task(machine.run("modest", machine.steps("small", 5, 0.001)))
    assert machine.big_while_small() <= 5, machine.done


async def test_without_turns_it_waits_for_one_of_each_request(machine: Machine) -> None:
    """What the test above compares with."""
    async with asyncio.TaskGroup() as group:
        for _ in range(10):
            group.create_task(machine.steps("big", 7, 0.02))
        await asyncio.sleep(0)
        group.create_task(machine.steps("small", 5, 0.001))
    assert machine.big_while_small() == 40


async def test_who_is_alone_never_waits_for_a_turn(machine: Machine) -> None:
    iterations = 0

    async def count() -> None:
        nonlocal iterations
        while True:
            iterations += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await machine.run("alone", machine.steps("step", 5, 0.02))
    counting.cancel()
    assert iterations == 5


async def test_results_and_errors_come_through(machine: Machine) -> None:
    await machine.have_rivals()

    async def work() -> None:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        failed = asyncio.get_running_loop().create_future()
        failed.set_exception(KeyError("lost"))
        with pytest.raises(KeyError):
            await failed
        raise ValueError("the end")

    with pytest.raises(ValueError, match="the end"):
        await machine.run("client", work())


async def test_work_can_be_cancelled_while_it_waits_for_its_turn(machine: Machine) -> None:
    await machine.have_rivals()
    begun = asyncio.Event()
    stages = []

    async def work() -> None:
        begun.set()
        try:
            await asyncio.sleep(0)
            stages.append("had its turn")
        finally:
            stages.append("cleaned up")

    async with asyncio.TaskGroup() as group:
        group.create_task(machine.run("greedy", machine.steps("big", 10, 0.02)))
        task = group.create_task(machine.run("greedy", work()))
        await begun.wait()
        # Now it is ready again, and waits behind a big step.
        await asyncio.sleep(0)
        task.cancel()
    assert task.cancelled()
    assert stages == ["cleaned up"]
    assert machine.done == ["big"] * 10, "those who wait go on"


async def test_work_that_is_given_up_is_closed(machine: Machine) -> None:
    closed = []

    async def work(name: str) -> None:
        try:
            await asyncio.sleep(0)
        finally:
            closed.append(name)

    waits_for_data = machine.turns.run("client", work("data"))
    next(waits_for_data)
    waits_for_data.close()

    waits_for_turn = machine.turns.run("client", work("turn"))
    next(waits_for_turn)
    await machine.have_rivals()
    assert not next(waits_for_turn).done()
    waits_for_turn.close()
    assert closed == ["data", "turn"]


async def test_the_work_of_a_client_alone_is_not_measured(machine: Machine) -> None:
    looks = 0

    def processor() -> float:
        nonlocal looks
        looks += 1
        return machine.processor

    machine.turns = Turns(lambda: machine.now, processor)
    await machine.run("alone", machine.steps("step", 5, 0.0))
    assert looks == 0
    await machine.run("another", machine.steps("step", 5, 0.0))
    assert looks > 0


async def test_what_a_client_alone_has_begun_takes_turns_when_another_comes(
    machine: Machine,
) -> None:
    """However long ago it began."""
    streaming = asyncio.create_task(machine.run("streams", machine.steps("big", 10, 2.0)))
    for _ in range(3):
        await asyncio.sleep(0)
    await machine.run("modest", machine.steps("small", 5, 0.001))
    await streaming
    assert machine.big_while_small() <= 5, machine.done
