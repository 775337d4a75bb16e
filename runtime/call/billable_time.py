"""The connected time of a call that is billed, and its reports while the call runs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from contracts.events import CallMetered
from runtime.call.fact_log import FactLog
from runtime.call.funds import Funds
from runtime.call.presence import Presence

METERED_EVERY_SECONDS = 5.0
METERED_WHEN_BACKED_UP_SECONDS = 20.0
"""While the control plane is behind. Still often enough that the reserve is extended in time."""


class BillableTime:
    """Connected milliseconds without those that exceed the paid time or the maximum duration."""

    def __init__(self, presence: Presence, funds: Funds, max_duration_seconds: int) -> None:
        self._presence = presence
        self._funds = funds
        self._longest_ms = max_duration_seconds * 1000

    @property
    def ms(self) -> int | None:
        """``None`` before anybody was connected."""
        connected_ms = self._presence.connected_ms
        if connected_ms is None:
            return None
        return self._funds.billable_ms(min(connected_ms, self._longest_ms))

    async def report(self, facts: FactLog, is_backed_up: Callable[[], bool]) -> None:
        """Report it again and again while somebody is there.

        Args:
            is_backed_up: whether the control plane is so far behind that facts should be fewer.
        """
        waited_seconds = 0.0
        while True:
            await asyncio.sleep(METERED_EVERY_SECONDS)
            waited_seconds += METERED_EVERY_SECONDS
            if is_backed_up() and waited_seconds < METERED_WHEN_BACKED_UP_SECONDS:
                continue
            waited_seconds = 0.0
            if self._presence.here and (billable_ms := self.ms) is not None:
                facts.fact(CallMetered(connected_ms=billable_ms))
