"""How many requests a client has sent within the last window, estimated from two counts. Pure.

The current window began with a request. Of the window before, as large a share counts as still lies
within ``WINDOW_SECONDS``: as if its requests had come at an even pace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from control_plane.platform.rate_limits.quota import WINDOW_SECONDS, Policy, Quota

WINDOW_MS = WINDOW_SECONDS * 1000


@dataclass(frozen=True)
class SlidingWindow:
    """``passed_ms``: since the current window began."""

    previous: int
    current: int
    passed_ms: int

    def quota(self, policy: Policy) -> Quota:
        """What is left of ``policy``, and when there is more."""
        left_ms = WINDOW_MS - self.passed_ms
        used = self.previous * left_ms // WINDOW_MS + self.current
        # One by one, the requests of the previous window count no longer.
        more_after_ms = left_ms % (WINDOW_MS / self.previous) if self.previous else left_ms
        reset_seconds = math.ceil(more_after_ms / 1000) if self.previous or self.current else 0
        return Quota(
            policy, max(0, policy.limit - used), min(max(1, reset_seconds), WINDOW_SECONDS)
        )
