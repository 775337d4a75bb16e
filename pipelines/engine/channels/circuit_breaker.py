"""Which models have failed lately. All calls of a process share what one of them has learned.

A model that failed is not asked again for a while. Then one real request tries it: nothing is sent
only to see whether the provider is back, because that would be billed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

FIRST_PAUSE_SECONDS = 15.0
LONGEST_PAUSE_SECONDS = 120.0
TRIAL_SECONDS = 30.0
"""After which a trial that has reported nothing no longer keeps others from trying."""


class CircuitBreaker:
    """Of one model of one provider, with one key."""

    def __init__(self, clock: Callable[[], float]) -> None:
        """Args:
        clock: monotonic, in seconds.
        """
        self._clock = clock
        self._pause_seconds = 0.0
        """0 while the model works."""
        self._next_trial_at = 0.0
        self._is_on_trial = False

    def may_try(self) -> bool:
        """Whether a request may be made now. Whoever makes it reports what became of it.

        After a pause only the first who asks is let through, until there is a report.
        """
        if not self._pause_seconds:
            return True
        now = self._clock()
        if now < self._next_trial_at:
            return False
        self._is_on_trial = True
        self._next_trial_at = now + TRIAL_SECONDS
        return True

    def succeeded(self) -> None:
        self._pause_seconds = 0.0
        self._is_on_trial = False

    def failed(self) -> None:
        """A trial that fails doubles the pause. Requests made before the pause change nothing."""
        if self._pause_seconds and not self._is_on_trial:
            return
        doubled = min(LONGEST_PAUSE_SECONDS, 2 * self._pause_seconds)
        self._pause_seconds = doubled or FIRST_PAUSE_SECONDS
        self._next_trial_at = self._clock() + self._pause_seconds
        self._is_on_trial = False


@dataclass(frozen=True)
class ModelKey:
    """Failures of one tenant's key say nothing about another's."""

    provider: str
    model: str
    key_owner: str
    """The tenant's id, or ``platform``."""
    address: str = ""
    """Of a tenant's own endpoint."""


class CircuitBreakers:
    """Those of one process."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._breakers: dict[ModelKey, CircuitBreaker] = {}

    def of(self, key: ModelKey) -> CircuitBreaker:
        if key not in self._breakers:
            self._breakers[key] = CircuitBreaker(self._clock)
        return self._breakers[key]
