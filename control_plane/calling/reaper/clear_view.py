"""Since when leases can be trusted. Pure, with an injected monotonic clock.

A missing lease proves a dead worker only if the worker could have renewed it. After Redis was away,
took nothing, or was started again, workers get some time to renew their leases before any call is
judged.
"""

from __future__ import annotations

from collections.abc import Callable


class ClearView:
    def __init__(self, settle_seconds: float, clock: Callable[[], float]) -> None:
        self._settle_seconds = settle_seconds
        self._clock = clock
        self._clear_since: float | None = None
        self._run_id: str | None = None

    def seen(self, run_id: str) -> None:
        """Redis answered, and took what was written.

        Args:
            run_id: of its process. Another process than at the last look may have lost every lease,
                even if it was never missed.
        """
        if self._clear_since is None or run_id != self._run_id:
            self._clear_since = self._clock()
        self._run_id = run_id

    def lost(self) -> None:
        """Redis did not answer, or took nothing."""
        self._clear_since = None

    @property
    def is_clear(self) -> bool:
        """The same Redis has answered for long enough that a missing lease means something."""
        return (
            self._clear_since is not None
            and self._clock() - self._clear_since >= self._settle_seconds
        )
