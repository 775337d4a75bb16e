"""Days of a calendar as times. Pure."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo


class CalendarDay(NamedTuple):
    """The times are in UTC; ``ends_at`` is when the next day begins."""

    date: date
    starts_at: datetime
    ends_at: datetime


def last_days(now: datetime, count: int, zone: ZoneInfo) -> list[CalendarDay]:
    """The last ``count`` days in ``zone``, today the last one. A day can have 23 or 25 hours.

    Args:
        now: with a time zone.
    """
    today = now.astimezone(zone).date()
    dates = [today + timedelta(days=offset) for offset in range(1 - count, 1)]
    return [
        CalendarDay(each, _midnight(each, zone), _midnight(each + timedelta(days=1), zone))
        for each in dates
    ]


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return datetime.combine(day, time(), zone).astimezone(UTC)
