"""Waiting for a call's limits: the clock and the waiting around ``LimitsWatch``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from contracts.call_plan import CallLimits
from runtime.call.funds import Funds
from runtime.call.limits import Due, LimitsWatch


class LimitTimer:
    """``clock`` is monotonic and in seconds."""

    def __init__(self, limits: CallLimits, funds: Funds, clock: Callable[[], float]) -> None:
        self._watch = LimitsWatch(limits, funds, clock())
        self._clock = clock
        self._changed = asyncio.Event()

    def started(self) -> None:
        """The first leg's media connected."""
        self._watch.started(self._clock())
        self._changed.set()

    def meter_runs(self, connected_ms: int) -> None:
        """Connected time counts from now on, beginning with ``connected_ms``."""
        self._watch.meter_runs(connected_ms, self._clock())
        self._changed.set()

    def meter_holds(self) -> None:
        """Nobody is connected."""
        self._watch.meter_holds()
        self._changed.set()

    def funds_extended(self) -> None:
        """The funds pay for more than before."""
        self._changed.set()

    def activity(self, *, user_speaking: bool, agent_active: bool) -> None:
        """Who is active from now on. An agent that thinks or speaks is active."""
        self._watch.activity(
            user_speaking=user_speaking, agent_active=agent_active, now=self._clock()
        )
        self._changed.set()

    def keys_pressed(self) -> None:
        """A caller has pressed keys."""
        self._watch.keys_pressed(self._clock())
        self._changed.set()

    async def next_due(self) -> Due:
        """Wait until something is due, and return it."""
        while True:
            self._changed.clear()
            if (due := self._watch.due(self._clock())) is not None:
                return due
            await self._wait_until(self._watch.next_due_at)

    async def _wait_until(self, moment: float | None) -> None:
        """Wait until ``moment``, or until that moment may have changed."""
        wait_seconds = None if moment is None else max(0.0, moment - self._clock())
        try:
            async with asyncio.timeout(wait_seconds):
                await self._changed.wait()
        except TimeoutError:
            return
