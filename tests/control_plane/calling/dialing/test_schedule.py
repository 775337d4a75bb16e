"""When a phone may be dialed is what its owner's clock says, also when clocks are changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from control_plane.calling.dialing.callee_zones import zones_of_number
from control_plane.calling.dialing.errors import NeverDialable
from control_plane.calling.dialing.schedule import (
    WEEKDAYS,
    DailyWindow,
    Openings,
    Schedule,
    next_opening,
)
from control_plane.calling.dialing.service import first_dialing

NEW_YORK, BERLIN, SYDNEY = (
    ZoneInfo("America/New_York"),
    ZoneInfo("Europe/Berlin"),
    ZoneInfo("Australia/Sydney"),
)


def opening(window: DailyWindow, zone: ZoneInfo, earliest: str) -> str | None:
    """The next opening on the zone's own clock."""
    found = next_opening(Schedule(window=window), [zone], datetime.fromisoformat(earliest))
    return None if found is None else found.astimezone(zone).isoformat()


OFFICE = DailyWindow(start="09:00", end="18:00", days=("mon", "tue", "wed", "thu", "fri"))


@pytest.mark.parametrize(
    ("earliest", "opens"),
    [
        ("2026-03-03T15:00:00-05:00", "2026-03-03T15:00:00-05:00"),
        ("2026-03-03T09:00:00-05:00", "2026-03-03T09:00:00-05:00"),
        ("2026-03-03T08:59:59-05:00", "2026-03-03T09:00:00-05:00"),
        ("2026-03-03T18:00:00-05:00", "2026-03-04T09:00:00-05:00"),
        # Over the week-end in which the clocks are put forward.
        ("2026-03-06T18:00:00-05:00", "2026-03-09T09:00:00-04:00"),
        # And back.
        ("2026-10-30T18:00:00-04:00", "2026-11-02T09:00:00-05:00"),
    ],
)
def test_office_hours(earliest: str, opens: str) -> None:
    assert opening(OFFICE, NEW_YORK, earliest) == opens


def test_an_hour_that_the_clock_skips_opens_the_window_late() -> None:
    window = DailyWindow(start="02:30", end="05:00")
    assert opening(window, NEW_YORK, "2026-03-08T00:00:00-05:00") == "2026-03-08T03:00:00-04:00"


def test_a_window_inside_the_skipped_hour_does_not_open_that_day() -> None:
    window = DailyWindow(start="02:00", end="02:30")
    assert opening(window, NEW_YORK, "2026-03-08T00:00:00-05:00") == "2026-03-09T02:00:00-04:00"


def test_a_weekly_window_that_is_skipped_opens_a_week_later() -> None:
    window = DailyWindow(start="02:00", end="02:30", days=("sun",))
    assert opening(window, NEW_YORK, "2026-03-08T00:00:00-05:00") == "2026-03-15T02:00:00-04:00"


def test_an_hour_that_the_clock_shows_twice_opens_the_window_twice() -> None:
    window = DailyWindow(start="01:30", end="01:45")
    assert opening(window, NEW_YORK, "2026-11-01T00:00:00-04:00") == "2026-11-01T01:30:00-04:00"
    assert opening(window, NEW_YORK, "2026-11-01T01:50:00-04:00") == "2026-11-01T01:30:00-05:00"


def test_the_whole_day_ends_at_24() -> None:
    window = DailyWindow(start="00:00", end="24:00", days=("sat",))
    assert opening(window, BERLIN, "2026-05-01T12:00:00+02:00") == "2026-05-02T00:00:00+02:00"
    assert opening(window, BERLIN, "2026-05-02T23:59:59+02:00") == "2026-05-02T23:59:59+02:00"


def test_with_several_zones_the_window_is_open_in_all() -> None:
    schedule = Schedule(window=DailyWindow(start="09:00", end="18:00"))
    found = next_opening(schedule, [NEW_YORK, BERLIN], datetime(2026, 6, 1, tzinfo=UTC))
    assert found == datetime(2026, 6, 1, 13, 0, tzinfo=UTC)
    assert next_opening(schedule, [NEW_YORK, SYDNEY], datetime(2026, 6, 1, tzinfo=UTC)) is None


def test_not_before_and_not_after_bound_it() -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    later, latest = now + timedelta(hours=1), now + timedelta(hours=2)
    assert next_opening(Schedule(not_before=later), [], now) == later
    assert next_opening(Schedule(not_before=later), [], latest) == latest
    assert next_opening(Schedule(not_after=latest), [], now) == now
    assert next_opening(Schedule(not_after=later), [], latest) is None


def test_an_opening_is_computed_once_for_all_numbers_in_the_same_zones(
    computed_openings: list[Schedule],
) -> None:
    openings = Openings(datetime(2026, 6, 1, tzinfo=UTC))
    narrow, wide = (
        Schedule(window=DailyWindow(start="09:00", end=end)) for end in ("10:00", "18:00")
    )
    for _ in range(3):
        for schedule in (narrow, wide.model_copy()):
            for number in ("+18005551212", "+18885551212", "+12125550123"):
                zones = zones_of_number(number)
                found = openings.next(schedule, zones)
                assert found == next_opening(schedule, zones, openings.earliest)
    assert len(computed_openings) == 4


CLOCK = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda at: f"{at[0]:02}:{at[1]:02}")
WINDOWS = (
    st.tuples(CLOCK, CLOCK, st.sets(st.sampled_from(WEEKDAYS), min_size=1))
    .filter(lambda drawn: drawn[0] < drawn[1])
    .map(lambda drawn: DailyWindow(start=drawn[0], end=drawn[1], days=tuple(drawn[2])))
)
# Days around which the clocks of these zones change.
MOMENTS = st.tuples(
    st.sampled_from(["2026-03-06", "2026-03-27", "2026-04-03", "2026-10-02", "2026-10-30"]),
    st.integers(0, 4 * 24 * 60),
).map(
    lambda drawn: datetime.fromisoformat(drawn[0]).replace(tzinfo=UTC) + timedelta(minutes=drawn[1])
)


@given(WINDOWS, st.sampled_from([NEW_YORK, BERLIN, SYDNEY]), MOMENTS)
def test_it_is_the_first_minute_at_which_the_callees_clock_is_inside(
    window: DailyWindow, zone: ZoneInfo, earliest: datetime
) -> None:
    found = next_opening(Schedule(window=window), [zone], earliest)
    assert found is not None
    minute = earliest
    while not window.is_open_at(minute.astimezone(zone)):
        minute += timedelta(minutes=1)
    assert found == minute


@pytest.mark.parametrize(
    "window",
    [
        {"start": "18:00", "end": "09:00"},
        {"start": "09:00", "end": "09:00"},
        {"start": "9:00", "end": "18:00"},
        {"start": "09:00", "end": "24:01"},
        {"start": "09:00", "end": "18:00", "days": []},
        {"start": "09:00", "end": "18:00", "days": ["monday"]},
    ],
)
def test_a_window_that_cannot_be_meant_is_refused(window: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        DailyWindow.model_validate(window)


@pytest.mark.parametrize(
    "name", ["", "Nowhere/Here", "../../etc/passwd", "/etc/localtime", "Europe"]
)
def test_a_zone_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Schedule.model_validate({"timezone": name})


def test_a_number_tells_where_it_was_given_out() -> None:
    assert zones_of_number("+12125550123") == (NEW_YORK,)
    assert zones_of_number("+493012345678") == (BERLIN,)
    assert zones_of_number("+88213123456") == ()


async def test_a_number_of_many_zones_needs_a_zone_or_a_wide_window() -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    window = DailyWindow(start="09:00", end="18:00")
    toll_free, satellite = "+18005551212", "+88213123456"
    with pytest.raises(NeverDialable, match=r"schedule\.timezone"):
        await first_dialing(Schedule(window=window), toll_free, Openings(now))
    with pytest.raises(NeverDialable, match=r"schedule\.timezone"):
        await first_dialing(Schedule(window=window), satellite, Openings(now))
    named = Schedule(window=window, timezone="America/New_York")
    found = await first_dialing(named, toll_free, Openings(now))
    assert found == datetime(2026, 6, 1, 13, tzinfo=UTC)


async def test_more_than_a_week_ahead_is_refused() -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    late = Schedule(not_before=now + timedelta(days=8))
    with pytest.raises(NeverDialable, match="a week"):
        await first_dialing(late, "+14155550123", Openings(now))


OFFICE_HOURS = {"start": "09:00", "end": "10:00"}


@pytest.mark.parametrize(
    "schedule",
    [
        {"not_before": "9999-12-31T23:59:59-12:00"},
        {"not_before": "9999-12-28T00:00:00Z", "window": OFFICE_HOURS},
        {"not_before": "9999-12-31T23:59:59-12:00", "window": OFFICE_HOURS},
    ],
)
async def test_a_schedule_that_begins_at_the_end_of_the_calendar_is_refused(
    schedule: dict[str, object],
) -> None:
    now = datetime(2026, 6, 1, tzinfo=UTC)
    with pytest.raises(NeverDialable, match=r"not_before is more than a week"):
        await first_dialing(Schedule.model_validate(schedule), "+14155550123", Openings(now))


@pytest.mark.parametrize("window", [None, OFFICE_HOURS])
async def test_the_first_and_the_last_times_that_can_be_named_bound_nothing_else(
    window: dict[str, str] | None,
) -> None:
    now = datetime(2026, 6, 1, 16, 30, tzinfo=UTC)
    always = {"not_before": "0001-01-01T00:00:00+14:00", "not_after": "9999-12-31T23:59:59-12:00"}
    schedule = Schedule.model_validate(always | {"window": window})
    assert await first_dialing(schedule, "+14155550123", Openings(now)) == now
    never = Schedule.model_validate({"not_after": "0001-01-01T00:00:00+14:00", "window": window})
    with pytest.raises(NeverDialable):
        await first_dialing(never, "+14155550123", Openings(now))
