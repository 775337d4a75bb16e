"""Days of a calendar, without a clock."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

from control_plane.calling.calls.calendar_days import last_days


def test_today_is_the_day_of_the_zone() -> None:
    late = datetime(2026, 11, 24, 23, 30, tzinfo=UTC)
    assert [day.date for day in last_days(late, 2, ZoneInfo("UTC"))] == [
        date(2026, 11, 23),
        date(2026, 11, 24),
    ]
    [today] = last_days(late, 1, ZoneInfo("Europe/Berlin"))
    assert today.date == date(2026, 11, 25)
    assert today.starts_at == datetime(2026, 11, 24, 23, tzinfo=UTC)


def test_days_follow_each_other_across_a_clock_change() -> None:
    after = datetime(2026, 10, 26, 12, tzinfo=UTC)
    days = last_days(after, 3, ZoneInfo("Europe/Berlin"))
    assert [day.ends_at - day.starts_at for day in days] == [
        timedelta(hours=24),
        timedelta(hours=25),
        timedelta(hours=24),
    ]
    assert [day.ends_at for day in days[:-1]] == [day.starts_at for day in days[1:]]
