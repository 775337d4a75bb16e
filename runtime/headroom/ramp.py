"""How many calls a worker may claim at once, beyond those that it has measured. Pure.

A call costs most in its first second, and what it costs is known only afterwards. So within one
second a worker claims at most as many calls as it has had for longer, but always eight: a burst on
a worker with few calls is taken at once. While a delay is near its limit, it claims four.
"""

from __future__ import annotations

from collections import deque

MEASURED_AFTER_SECONDS = 1.0
BURST = 8
STRAINED_BURST = 4


class Ramp:
    def __init__(self) -> None:
        self._claimed_at: deque[float] = deque()
        """Of the calls that were claimed within the last second."""

    def claimed(self, now_seconds: float) -> None:
        self._forget(now_seconds)
        self._claimed_at.append(now_seconds)

    def pause_seconds(self, now_seconds: float, calls: int, is_strained: bool) -> float:
        """How long the next claim has to wait.

        Args:
            calls: those that have a slot now.
        """
        self._forget(now_seconds)
        recent = len(self._claimed_at)
        most = STRAINED_BURST if is_strained else max(BURST, calls - recent)
        if recent < most:
            return 0.0
        return self._claimed_at[-most] + MEASURED_AFTER_SECONDS - now_seconds

    def _forget(self, now_seconds: float) -> None:
        while self._claimed_at and now_seconds - self._claimed_at[0] >= MEASURED_AFTER_SECONDS:
            self._claimed_at.popleft()
