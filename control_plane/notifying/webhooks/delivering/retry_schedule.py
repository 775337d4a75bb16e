"""When a delivery is tried again. Pure.

Source: API spec, "Delivery behavior": five tries, roughly 1, 2, 4 and 8 seconds apart.
"""

from __future__ import annotations

from datetime import datetime, timedelta

TRIES = 5
DELAYS_SECONDS = (1.0, 2.0, 4.0, 8.0)
JITTER = 0.2
"""Deliveries that failed together are not all tried again at the same moment."""
DEAD_AFTER = timedelta(hours=1)
DEAD_FACTOR = 30
"""Tries to a dead endpoint are 30 s, 1, 2 and 4 minutes apart."""


def is_dead(failing_since: datetime | None, now: datetime) -> bool:
    """Whether every try to an endpoint has failed for an hour.

    Args:
        failing_since: its first failed try since the last that succeeded.
    """
    return failing_since is not None and now - failing_since >= DEAD_AFTER


def next_try_at(
    tries_left: int, failed_at: datetime, *, to_dead_endpoint: bool, chance: float
) -> datetime | None:
    """When a delivery is tried again whose try has just failed; ``None`` after its last one.

    Args:
        tries_left: after the one that failed.
        chance: random, between 0 and 1.
    """
    if tries_left <= 0:
        return None
    delay = DELAYS_SECONDS[max(0, TRIES - tries_left - 1)]
    delay *= 1 + JITTER * (2 * chance - 1)
    return failed_at + timedelta(seconds=delay * (DEAD_FACTOR if to_dead_endpoint else 1))
