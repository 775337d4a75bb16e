"""How long the next model of a chain may take, so that the caller has an answer in time. Pure."""

from __future__ import annotations

IN_TIME_SECONDS = 2.4
"""From when an answer was due to when it is given, whichever model gives it."""
LEAST_SECONDS = 0.3
"""What a model is given in any case: otherwise it would be asked in vain."""


def time_left(usual_seconds: float, waited_seconds: float, reserve_seconds: float = 0.0) -> float:
    """For a model that is asked after others have failed.

    Args:
        usual_seconds: its deadline if nobody had failed.
        waited_seconds: how long the caller has waited.
        reserve_seconds: what a model takes that comes after it.
    """
    left_seconds = IN_TIME_SECONDS - reserve_seconds - waited_seconds
    return min(usual_seconds, max(LEAST_SECONDS, left_seconds))
