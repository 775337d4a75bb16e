"""The room's 20 ms pulse, on a monotonic clock.

Deadlines are multiples of the period from the start, so delays do not add up. A late tick says how
many periods it stands for, so that no burst of missed ticks follows it.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol

from runtime.media.room import FRAME_MS
from telemetry.metrics import FRAME_LATENESS

PHASE_MS = 5
"""Short, because of the rooms that wake together the last one waits for the others."""
_TURNS_AFTER_STANDSTILL = 16

lateness_listener: ContextVar[Callable[[float], None] | None] = ContextVar(
    "lateness_listener", default=None
)
"""Is told how many seconds each frame is late, in all rooms that are opened in this context."""


class Clock(Protocol):
    """The time functions that a room needs."""

    def now(self) -> float:
        """Seconds on a monotonic clock."""

    async def sleep(self, seconds: float) -> None: ...


class MonotonicClock:
    """The machine's monotonic clock."""

    def now(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@dataclass(frozen=True)
class Tick:
    index: int
    """Periods since the start, including those that this tick stands for."""
    periods: int
    """1, or more when the process could not keep up."""


class TickSchedule:
    """Pure: which tick is due, and when the next one is."""

    def __init__(self, start_seconds: float, period_seconds: float = FRAME_MS / 1000) -> None:
        self._start = start_seconds
        self._period = period_seconds
        self._index = 0

    @property
    def deadline_seconds(self) -> float:
        """When the next tick is due."""
        return self._start + (self._index + 1) * self._period

    def take(self, now_seconds: float) -> Tick:
        """The tick that is due at ``now_seconds``, which must not be before the deadline."""
        elapsed_periods = int((now_seconds - self._start) / self._period + 1e-6)
        periods = max(1, elapsed_periods - self._index)
        self._index += periods
        return Tick(index=self._index, periods=periods)


async def ticks(clock: Clock) -> AsyncIterator[Tick]:
    """A tick every ``FRAME_MS``, endlessly."""
    schedule = TickSchedule(_phase_before(clock.now()))
    listener = lateness_listener.get()
    while True:
        while (wait := schedule.deadline_seconds - clock.now()) > 0:
            await clock.sleep(wait)
        now = clock.now()
        late_seconds = now - schedule.deadline_seconds
        FRAME_LATENESS.observe(late_seconds)
        if listener is not None:
            listener(late_seconds)
        tick = schedule.take(now)
        # Sockets give one packet per turn of the loop. Read the packets that came during a stall
        # before the tick, or they would count as late.
        if tick.periods > 1:
            for _ in range(_TURNS_AFTER_STANDSTILL):
                await asyncio.sleep(0)
        yield tick
        if clock.now() >= schedule.deadline_seconds:
            # Give the loop's other tasks a turn even if a tick uses up its whole period.
            await asyncio.sleep(0)


def _phase_before(now_seconds: float) -> float:
    return math.floor(now_seconds * 1000 / PHASE_MS + 1e-6) * PHASE_MS / 1000
