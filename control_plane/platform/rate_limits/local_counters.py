"""Counts requests in this process, while the counters that all processes share cannot be reached.
Pure: the clock is injected."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Callable, Mapping

from control_plane.platform.rate_limits.quota import WINDOW_SECONDS, Policy, Quota

_OTHERS = ""
"""Clients beyond ``most_clients`` share one count for each policy."""


class LocalCounters:
    """Fixed windows: a turn of the window forgets every count, which costs nothing.

    Args:
        most_clients: how many counts are kept at most.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, *, most_clients: int = 50_000
    ) -> None:
        self._clock = clock
        self._most_clients = most_clients
        self._window_ends_at = 0.0
        self._counts = Counter[tuple[str, str]]()

    def count_request(self, clients: Mapping[Policy, str]) -> Quota | None:
        """Count a request for each policy's client. Returns the first quota that is used up."""
        now = self._clock()
        if now >= self._window_ends_at:
            self._counts.clear()
            self._window_ends_at = now + WINDOW_SECONDS
        for policy, client in clients.items():
            counted = (policy.name, client)
            if counted not in self._counts and len(self._counts) >= self._most_clients:
                counted = (policy.name, _OTHERS)
            if self._counts[counted] >= policy.limit:
                return Quota(policy, 0, max(1, math.ceil(self._window_ends_at - now)))
            self._counts[counted] += 1
        return None
