"""Since when leases can be trusted. Pure, with an injected monotonic clock.

A missing lease proves a dead worker only if the worker could have renewed it. After Redis was away,
took nothing, or was started again, or its clock went forward, workers get some time to renew their
leases before any call is judged.
"""

from __future__ import annotations

from collections.abc import Callable

LONGEST_STEP_SECONDS = 5.0
"""How far Redis's clock may go ahead of ours between two looks. Further than answers are late, and
less than a lease has left while its worker renews it."""


class ClearView:
    def __init__(self, settle_seconds: float, clock: Callable[[], float]) -> None:
        self._settle_seconds = settle_seconds
        self._clock = clock
        self._clear_since: float | None = None
        self._run_id: str | None = None
        self._ahead_seconds = float("inf")

    def seen(self, run_id: str, redis_seconds: float) -> None:
        """Redis answered, and took what was written.

        Args:
            run_id: of its process. Another process than at the last look may have lost every lease,
                even if it was never missed.
            redis_seconds: its Unix time. Leases lapse by that clock, all at once if it is put
                forward.
        """
        now = self._clock()
        ahead_seconds = redis_seconds - now
        was_put_forward = ahead_seconds - self._ahead_seconds > LONGEST_STEP_SECONDS
        if self._clear_since is None or run_id != self._run_id or was_put_forward:
            self._clear_since = now
        self._run_id, self._ahead_seconds = run_id, ahead_seconds

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
