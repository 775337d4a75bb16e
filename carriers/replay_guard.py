"""What has been seen once, remembered for as long as it could come again. Pure."""

from __future__ import annotations

import heapq


class ReplayGuard:
    """Keys that were seen, up to ``capacity``. With more, the one that would be forgotten first is
    forgotten at once, and ``forgotten_early`` counts it.

    It remembers for one process. Several processes that serve the same accounts need a common
    memory: one ``SET key NX EX remember_seconds`` asks the same question.
    """

    def __init__(self, capacity: int = 100_000) -> None:
        if capacity < 1:
            raise ValueError("capacity must be at least 1")
        self._capacity = capacity
        self._until: dict[str, float] = {}
        self._queue: list[tuple[float, str]] = []
        self.forgotten_early = 0

    def __len__(self) -> int:
        return len(self._until)

    def is_first(self, key: str, remember_seconds: float, now: float) -> bool:
        """Whether ``key`` is not remembered; it is from now on.

        Args:
            now: seconds of any clock that never goes back.
        """
        self._forget_before(now)
        if key in self._until:
            return False
        if len(self._until) == self._capacity:
            self._forget_next()
            self.forgotten_early += 1
        until = now + remember_seconds
        self._until[key] = until
        heapq.heappush(self._queue, (until, key))
        return True

    def _forget_before(self, now: float) -> None:
        while self._queue and self._queue[0][0] <= now:
            self._forget_next()

    def _forget_next(self) -> None:
        _, key = heapq.heappop(self._queue)
        del self._until[key]
