"""Which attempts no bridge keeps a report of, and for how long. Pure, with an injected clock.

Bridges renew their reports every second. A report that is missing once proves nothing: Redis may
just have lost its data, or have come back.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from uuid import UUID


class Silence:
    def __init__(self, patience_seconds: float, clock: Callable[[], float]) -> None:
        self._patience_seconds = patience_seconds
        self._clock = clock
        self._silent_since: dict[UUID, float] = {}

    def heard(self, watched: Collection[UUID], answered: Collection[UUID]) -> frozenset[UUID]:
        """Redis was asked about ``watched``. Returns those that have been silent for too long."""
        now = self._clock()
        self._silent_since = {
            attempt_id: self._silent_since.get(attempt_id, now)
            for attempt_id in watched
            if attempt_id not in answered
        }
        return frozenset(
            attempt_id
            for attempt_id, since in self._silent_since.items()
            if now - since >= self._patience_seconds
        )

    def forget(self) -> None:
        """Redis did not answer, or took nothing, so nothing is known about any attempt."""
        self._silent_since.clear()
