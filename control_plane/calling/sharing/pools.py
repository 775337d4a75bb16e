"""The minutes that outsiders may use: what is used, what is reserved, and what a call gets. Pure.

Use is counted in seconds of connected time. The bill counts each call in increments, so very many
very short calls would cost far more than the minutes that they use. Therefore what is billed is
limited, too: to the minutes and one increment, which lets the last call begin an increment that the
minutes do not fill.
"""

from __future__ import annotations

from dataclasses import dataclass

from contracts.money import BILLING_INCREMENT_SECONDS, billable_seconds

SHORTEST_CALL_SECONDS = 10
"""Nobody begins a call with less."""


@dataclass(frozen=True)
class Use:
    """Of one pool. ``billed`` is ``used`` as the bill counts it; the reserves are of the calls that
    are not over."""

    used_seconds: int = 0
    billed_seconds: int = 0
    reserved_seconds: int = 0
    reserved_billed_seconds: int = 0
    live_calls: int = 0


@dataclass(frozen=True)
class Pool:
    minutes_limit: int
    use: Use

    @property
    def _limit_seconds(self) -> int:
        return self.minutes_limit * 60

    @property
    def remaining_seconds(self) -> int:
        """What further calls may reserve."""
        use = self.use
        by_time = self._limit_seconds - use.used_seconds - use.reserved_seconds
        return max(0, min(by_time, self._left_to_bill))

    @property
    def is_used_up(self) -> bool:
        """Whether nothing would remain even if every running call ended now, unused."""
        use = self.use
        by_time = self._limit_seconds - use.used_seconds
        by_bill = self._limit_seconds + BILLING_INCREMENT_SECONDS - use.billed_seconds
        return min(by_time, by_bill) < SHORTEST_CALL_SECONDS

    def longest_call_seconds(self, wanted_seconds: int) -> int:
        """How long a call may be that would like ``wanted_seconds``; 0: it cannot begin."""
        seconds = min(wanted_seconds, self.remaining_seconds)
        if billable_seconds(seconds * 1000) > self._left_to_bill:
            seconds = self._left_to_bill - self._left_to_bill % BILLING_INCREMENT_SECONDS
        return seconds if seconds >= SHORTEST_CALL_SECONDS else 0

    @property
    def _left_to_bill(self) -> int:
        use = self.use
        billed = use.billed_seconds + use.reserved_billed_seconds
        return self._limit_seconds + BILLING_INCREMENT_SECONDS - billed
