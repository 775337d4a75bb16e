"""Events that this release cannot read, each left to the other jobs processes for a while. Pure.

While releases run side by side, a process of another release may be able to apply what this one
cannot read. An event is skipped only when none has done so in time.
"""

from __future__ import annotations

from collections.abc import Callable
from uuid import UUID

from contracts.events import EventEnvelope

PATIENCE_SECONDS = 6.0
"""How long an event is left to others. The later events of its call wait for as long, so it is well
below ``RESERVE_AHEAD_MS``: the reserve is still extended in time."""
REMEMBERED_SECONDS = 600.0


class UnreadableEvents:
    """Args:
    clock: monotonic, in seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._seen_at: dict[tuple[UUID, int], float] = {}
        """By call and number, oldest first."""
        self.count = 0
        """How many there were since the start of this process."""

    def is_new(self, envelope: EventEnvelope) -> bool:
        """Note an event; whether this process sees it for the first time."""
        key = (envelope.call_id, envelope.seq)
        if key in self._seen_at:
            return False
        self._forget_old()
        self._seen_at[key] = self._clock()
        self.count += 1
        return True

    def is_left(self, envelope: EventEnvelope) -> bool:
        """Whether an event that was noted is still left to others."""
        seen_at = self._seen_at[envelope.call_id, envelope.seq]
        return self._clock() - seen_at < PATIENCE_SECONDS

    def _forget_old(self) -> None:
        """Another process has applied them, or they are parked."""
        now = self._clock()
        while self._seen_at:
            oldest = next(iter(self._seen_at))
            if now - self._seen_at[oldest] < REMEMBERED_SECONDS:
                return
            del self._seen_at[oldest]
