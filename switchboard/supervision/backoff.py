"""How long to wait before a process that ended is started again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Backoff:
    """Doubles from ``first_seconds`` to ``longest_seconds``. Starts over after a process that lived
    for ``forgiven_after_seconds``."""

    first_seconds: float = 0.1
    longest_seconds: float = 10.0
    forgiven_after_seconds: float = 10.0
    failures_in_a_row: int = 0

    def after(self, lived_seconds: float) -> float:
        """Seconds to wait after a process that lived ``lived_seconds`` has ended."""
        if lived_seconds >= self.forgiven_after_seconds:
            self.failures_in_a_row = 0
        # Without its bound the power would be too large for a float after 1,024 failures.
        doublings = min(self.failures_in_a_row, 64)
        self.failures_in_a_row += 1
        return min(self.first_seconds * 2.0**doublings, self.longest_seconds)
