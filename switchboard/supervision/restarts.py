"""When a process that ended is started again. Pure, with an injected clock."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass
class Restarts:
    """Of one process. The wait doubles from ``first_seconds`` to ``longest_seconds`` while the
    process ends soon after its starts, and is the first one again after a process that lived for
    ``forgiven_after_seconds``."""

    clock: Callable[[], float] = time.monotonic
    first_seconds: float = 0.1
    longest_seconds: float = 10.0
    forgiven_after_seconds: float = 10.0
    starts: int = 0
    ends_in_a_row: int = 0
    """Since the last long life, which counts as the first of them."""
    due_at: float | None = None
    """By the clock; ``None`` while the process runs, and after ``never``."""
    _started_at: float = 0.0

    def started(self) -> None:
        self.starts += 1
        self.due_at = None
        self._started_at = self.clock()

    def ended(self) -> None:
        """The process is due again after a wait."""
        now = self.clock()
        if now - self._started_at >= self.forgiven_after_seconds:
            self.ends_in_a_row = 0
        # Without its bound the power would be too large for a float after 1,024 ends.
        doublings = min(self.ends_in_a_row, 64)
        self.ends_in_a_row += 1
        self.due_at = now + min(self.first_seconds * 2.0**doublings, self.longest_seconds)

    def failed(self) -> None:
        """The process could not be started, and is due again after a wait as if it had ended at
        once."""
        self._started_at = self.clock()
        self.ended()

    def never(self) -> None:
        """The process is not started again."""
        self.due_at = None

    @property
    def wait_seconds(self) -> float | None:
        """Until the process is due; ``None`` if it is not to be started."""
        return None if self.due_at is None else max(0.0, self.due_at - self.clock())
