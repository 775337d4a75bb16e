from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

from pipelines.texts.moment import moment_section

AUTUMN = datetime(2026, 11, 23, 21, 5, tzinfo=UTC)


def test_the_day_the_date_the_time_and_the_zone_are_told() -> None:
    assert moment_section(AUTUMN) == (
        "# Now\nThe call began on Monday, 23 November 2026 at 21:05, UTC."
    )


def test_another_zone_has_its_name_and_its_distance_from_utc() -> None:
    berlin = moment_section(AUTUMN.astimezone(ZoneInfo("Europe/Berlin")))
    assert berlin.endswith("Monday, 23 November 2026 at 22:05, CET (UTC+01:00).")


def test_a_zone_without_a_name_has_its_distance_only() -> None:
    nepal = AUTUMN.astimezone(timezone(timedelta(hours=5, minutes=45)))
    assert moment_section(nepal).endswith("Tuesday, 24 November 2026 at 02:50, UTC+05:45.")
