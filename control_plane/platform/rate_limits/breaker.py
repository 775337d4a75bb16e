"""A circuit breaker for a server that does not answer. Pure: the clock is injected."""

from __future__ import annotations

import time
from collections.abc import Callable

RETRY_SECONDS = 1.0


class Breaker:
    """Closed while the server answers. After a failure it is open: one request per
    ``RETRY_SECONDS`` tries the server again, and the others skip it."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._next_try_at: float | None = None

    @property
    def is_open(self) -> bool:
        return self._next_try_at is not None

    def may_try(self) -> bool:
        if self._next_try_at is None:
            return True
        now = self._clock()
        if now < self._next_try_at:
            return False
        self._next_try_at = now + RETRY_SECONDS
        return True

    def succeeded(self) -> bool:
        """Close the breaker; returns whether it was open."""
        was_open, self._next_try_at = self.is_open, None
        return was_open

    def failed(self) -> bool:
        """Open the breaker; returns whether it was closed."""
        was_open, self._next_try_at = self.is_open, self._clock() + RETRY_SECONDS
        return not was_open
