"""Whether a tenant has many more calls than it is used to. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

COMPARED_WITH = timedelta(days=28)
LEAST_HISTORY = timedelta(days=7)
"""A tenant that began later is not used to anything yet."""
FEWEST_CALLS = 20
TIMES_AS_MANY = 3


def usual_calls(hour: datetime, calls: Mapping[datetime, int]) -> float | None:
    """How many calls begin in this hour of the day on average, by the ``COMPARED_WITH`` before;
    ``None``: that is not known yet.

    Args:
        calls: how many began in each earlier hour; an hour that is left out had none.
    """
    before = {each: count for each, count in calls.items() if hour - COMPARED_WITH <= each < hour}
    if not before or hour - min(before) < LEAST_HISTORY:
        return None
    same_hour = [count for each, count in before.items() if each.hour == hour.hour]
    return sum(same_hour) / (hour - min(before)).days


def is_spike(calls: int, usual: float | None) -> bool:
    """
    Args:
        calls: that have begun within an hour so far.
        usual: as ``usual_calls`` gives it.
    """
    return usual is not None and calls >= FEWEST_CALLS and calls > TIMES_AS_MANY * usual
