import asyncio
from collections.abc import Callable
from itertools import islice

import pytest

from runtime.media.room_clock import Tick, TickSchedule, lateness_listener, ticks


class FakeClock:
    """Time passes only in ``sleep``, which oversleeps by ``lateness()`` seconds."""

    def __init__(self, lateness: Callable[[], float] = lambda: 0.0) -> None:
        self.seconds = 1_000.0
        self._lateness = lateness

    def now(self) -> float:
        return self.seconds

    async def sleep(self, seconds: float) -> None:
        self.seconds += seconds + self._lateness()


async def take(clock: FakeClock, count: int) -> list[tuple[Tick, float]]:
    taken = []
    async for tick in ticks(clock):
        taken.append((tick, clock.now() - 1_000.0))
        if len(taken) == count:
            break
    return taken


async def test_ticks_come_every_twenty_milliseconds() -> None:
    assert [at for _, at in await take(FakeClock(), 3)] == pytest.approx([0.02, 0.04, 0.06])


async def test_rooms_that_begin_within_five_milliseconds_tick_together() -> None:
    begun_at = [1_000.0, 1_000.0013, 1_000.0049, 1_000.005]
    ticked_at = []
    for seconds in begun_at:
        clock = FakeClock()
        clock.seconds = seconds
        ticked_at.append((await take(clock, 1))[0][1])
    assert ticked_at == pytest.approx([0.02, 0.02, 0.02, 0.025])


async def test_a_tick_that_uses_up_its_period_leaves_the_loop_a_turn() -> None:
    clock, turns = FakeClock(), 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    task = asyncio.create_task(other())
    ticked = 0
    async for _ in ticks(clock):
        clock.seconds += 0.03
        ticked += 1
        if ticked == 5:
            break
    task.cancel()
    assert turns >= 4


async def test_small_lateness_never_adds_up() -> None:
    taken = await take(FakeClock(lambda: 0.0013), 3_000)
    assert all(tick.periods == 1 for tick, _ in taken)
    assert taken[-1][0].index == 3_000
    assert taken[-1][1] == pytest.approx(60.0013)


async def test_a_late_tick_stands_for_those_it_missed_and_none_follow_in_a_burst() -> None:
    late = iter([0.0, 0.105])
    taken = await take(FakeClock(lambda: next(late, 0.0)), 4)
    assert [tick for tick, _ in taken] == [Tick(1, 1), Tick(7, 6), Tick(8, 1), Tick(9, 1)]
    assert [at for _, at in taken] == pytest.approx([0.02, 0.145, 0.16, 0.18])


async def test_a_listener_is_told_how_late_each_frame_is() -> None:
    late: list[float] = []
    lateness_listener.set(late.append)
    lateness = iter([0.0, 0.013, 0.105])
    await take(FakeClock(lambda: next(lateness)), 3)
    assert late == pytest.approx([0.0, 0.013, 0.105])


def test_every_period_is_counted_exactly_once() -> None:
    schedule, now = TickSchedule(5.0), 5.0
    ends = 0
    for step in islice([0.02, 0.021, 0.1, 0.0201, 0.033] * 40, 200):
        now = max(now + step, schedule.deadline_seconds)
        tick = schedule.take(now)
        ends += tick.periods
        assert tick.index == ends
    assert schedule.deadline_seconds > now
