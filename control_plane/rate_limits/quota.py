"""How much of a limit is left, from two counters. Pure.

A sliding window is estimated from the counters of the current fixed window and of the one before
it, which counts for as much of it as the sliding window still covers. No burst at a window's edge
gets twice the limit, as it would with one counter, and no list of times has to be kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

WINDOW_SECONDS = 60

LIMITED_PATHS = "/v1/"
"""Health, static files and the documents beside the API are not limited."""

PolicyName = Literal["key", "address"]


@dataclass(frozen=True)
class Policy:
    """``limit`` requests in ``WINDOW_SECONDS``, for each key or each client address."""

    name: PolicyName
    limit: int

    @property
    def field(self) -> str:
        """A member of ``RateLimit-Policy``."""
        return f'"{self.name}";q={self.limit};w={WINDOW_SECONDS}'


@dataclass(frozen=True)
class Quota:
    """What is left of one policy after a request.

    Args:
        previous, current: requests counted in the fixed window before this one, and in this one.
        elapsed_ms: how old the current fixed window is.
    """

    policy: Policy
    previous: int
    current: int
    elapsed_ms: int

    @property
    def used(self) -> int:
        """Requests in the sliding window."""
        covered = 1 - self.elapsed_ms / (WINDOW_SECONDS * 1000)
        return math.floor(self.previous * covered) + self.current

    @property
    def remaining(self) -> int:
        return max(0, self.policy.limit - self.used)

    @property
    def reset_seconds(self) -> int:
        """Until a request is possible again, if none is; else until the fixed window ends."""
        window_ms = WINDOW_SECONDS * 1000
        left_ms = window_ms - self.elapsed_ms
        if self.remaining:
            wait_ms: float = left_ms
        elif self.current < self.policy.limit:
            # The window before this one must count for less than what the limit leaves to it.
            share = (self.policy.limit - self.current) / self.previous
            wait_ms = left_ms - window_ms * share
        else:
            # The same, once this window is the one before.
            wait_ms = left_ms + window_ms * (1 - self.policy.limit / self.current)
        return math.floor(wait_ms / 1000) + 1

    @property
    def field(self) -> str:
        """A member of ``RateLimit``."""
        return f'"{self.policy.name}";r={self.remaining};t={self.reset_seconds}'
