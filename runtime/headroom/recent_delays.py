"""Whether one of many delays in a hundred was too long, over the last five seconds. Pure.

"The 99th percentile is above the limit" says the same as "more than one in a hundred is above the
limit", so two counts are enough: no delay is kept, and none is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass

WINDOW_SECONDS = 5
_FEWEST = 100
"""Fewer delays count as so many: of 20, a single one would be more than one in a hundred."""


@dataclass
class _Second:
    number: int = -1
    """Of the clock's whole seconds."""
    delays: int = 0
    above_calm: int = 0
    above_limit: int = 0


class RecentDelays:
    """
    Args:
        limit_seconds: how long a delay may be.
        calm_seconds: no longer than this, and there is room again.
        tolerated: the share of delays that may be longer.
    """

    def __init__(self, limit_seconds: float, calm_seconds: float, tolerated: float) -> None:
        self._limit_seconds = limit_seconds
        self._calm_seconds = calm_seconds
        self._tolerated = tolerated
        self._seconds = [_Second() for _ in range(WINDOW_SECONDS)]

    def observe(self, delay_seconds: float, now_seconds: float) -> None:
        number = int(now_seconds)
        second = self._seconds[number % WINDOW_SECONDS]
        if second.number != number:
            second.number = number
            second.delays = second.above_calm = second.above_limit = 0
        second.delays += 1
        if delay_seconds > self._calm_seconds:
            second.above_calm += 1
            if delay_seconds > self._limit_seconds:
                second.above_limit += 1

    def forget(self) -> None:
        for second in self._seconds:
            second.number = -1

    def are_above_limit(self, since_seconds: float) -> bool:
        """Since the whole second of the clock in which ``since_seconds`` lies, at most five."""
        seconds = self._since(since_seconds)
        return self._too_many(sum(each.above_limit for each in seconds), seconds)

    def are_above_calm(self, since_seconds: float) -> bool:
        """As ``are_above_limit``."""
        seconds = self._since(since_seconds)
        return self._too_many(sum(each.above_calm for each in seconds), seconds)

    def _since(self, since_seconds: float) -> list[_Second]:
        return [each for each in self._seconds if each.number >= int(since_seconds)]

    def _too_many(self, long: int, seconds: list[_Second]) -> bool:
        delays = sum(each.delays for each in seconds)
        return long > self._tolerated * max(delays, _FEWEST)
