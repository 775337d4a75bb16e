"""In which order work that waits for the processor is done, by what its clients have used. Pure.

Virtual clocks (L. Zhang, *VirtualClock*, SIGCOMM 1990): each client has a clock. Work of a client
moves its clock on by the time in which its share would have paid for that work; a clock that is
behind the time is put forward to it. Work is done in the order of its client's clock. So a client
within its share is served in the order of arrival, and one beyond it after all others.
"""

from __future__ import annotations

import heapq
from itertools import count
from typing import Generic, TypeVar

from cachetools import LRUCache

SHARE = 0.1
"""Of a processor: a client that uses more has to wait for those who use less."""
MOST_AHEAD_SECONDS = 0.5
"""How far a clock runs ahead at most. Without a limit, who was alone for a while would have to wait
as long as it took what nobody else needed."""
BURST_SECONDS = 0.2
"""How far a clock may run ahead within its share. A request needs its processor time at once: after
its first step it would otherwise count as beyond its share."""
LATELY_SECONDS = 1.0
_MOST_CLIENTS = 10_000

Work = TypeVar("Work")


class VirtualClocks(Generic[Work]):
    """All times are seconds of one monotonic clock, given by the caller."""

    def __init__(self) -> None:
        self._clocks: LRUCache[str, float] = LRUCache(_MOST_CLIENTS)
        self._waiting: list[tuple[float, int, str, Work]] = []
        self._arrivals = count()
        self._latest_client = ""
        self._latest_at = self._other_client_at = float("-inf")

    def __len__(self) -> int:
        """How much work waits."""
        return len(self._waiting)

    def has_rivals(self, client: str, now: float) -> bool:
        """Whether work waits, or another client than this one was served lately."""
        other_at = self._other_client_at if client == self._latest_client else self._latest_at
        return bool(self._waiting) or now - other_at < LATELY_SECONDS

    def all_beyond_share(self, now: float) -> bool:
        """Whether work waits, but only of clients that have used more than their share."""
        return bool(self._waiting) and self._waiting[0][0] > now + BURST_SECONDS

    def wait(self, client: str, work: Work, now: float) -> None:
        clock = max(now, self._clock_of(client))
        heapq.heappush(self._waiting, (clock, next(self._arrivals), client, work))

    def next(self) -> Work:
        """Take the work that is to be done next.

        Raises:
            IndexError: no work waits.
        """
        while True:
            clock, arrival, client, work = heapq.heappop(self._waiting)
            # Other work of the client was done since this one came.
            if (moved := self._clock_of(client)) <= clock:
                return work
            heapq.heappush(self._waiting, (moved, arrival, client, work))

    def used(self, client: str, seconds: float, now: float) -> None:
        """Work of the client has taken ``seconds`` of the processor."""
        clock = max(now, self._clock_of(client)) + seconds / SHARE
        self._clocks[client] = min(clock, now + MOST_AHEAD_SECONDS)
        if client != self._latest_client:
            self._latest_client, self._other_client_at = client, self._latest_at
        self._latest_at = now

    def _clock_of(self, client: str) -> float:
        clock: float = self._clocks.get(client, float("-inf"))
        return clock
