from __future__ import annotations

from datetime import date, time

import pytest

from pipelines.playbook.opening_hours import opening_hours

MONDAY = date(2026, 11, 23)
WEEK = [date(2026, 11, 23 + day) for day in range(7)]


@pytest.mark.parametrize(
    ("written", "days", "opens", "closes"),
    [
        ("We are open Monday to Friday from 8 to 6.", "12345", "08:00", "18:00"),
        ("We are open Mon-Fri 9am-5pm.", "12345", "09:00", "17:00"),
        ("Open Tuesday through Sunday, 5 pm to 11 pm.", "234567", "17:00", "23:00"),
        ("We're open daily from 10 am until midnight.", "1234567", "10:00", "00:00"),
        ("Open from 9:30 to 17:00 on weekdays.", "12345", "09:30", "17:00"),
        ("Our hours are 8 AM to 8 PM, Monday through Saturday.", "123456", "08:00", "20:00"),
        (
            "We are open Monday to Friday, from eight in the morning to six in the evening.",
            "12345",
            "08:00",
            "18:00",
        ),
        ("Open every day from noon.", "1234567", None, None),
        ("We are closed on Sundays.", "123456", None, None),
        ("Open 9 to 5, closed on Sunday and Monday.", "23456", "09:00", "17:00"),
        ("We are open Wednesday, Friday and Saturday from 10 to 4.", "356", "10:00", "16:00"),
        ("Opening hours: Saturday 10 to 14.", "6", "10:00", "14:00"),
        ("Open weekends from 11 am to 3 pm", "67", "11:00", "15:00"),
    ],
)
def test_days_and_hours_are_read(
    written: str, days: str, opens: str | None, closes: str | None
) -> None:
    hours = opening_hours([written])
    assert "".join(str(d.isoweekday()) for d in WEEK if not hours.is_closed_on(d)) == days
    if opens is not None and closes is not None:
        day = next(d for d in WEEK if not hours.is_closed_on(d))
        span = hours.by_weekday[day.weekday()]
        assert [f"{minute // 60 % 24:02}:{minute % 60:02}" for minute in span] == [opens, closes]


@pytest.mark.parametrize(
    ("written", "days", "on_friday"),
    [
        (
            "Open Tuesday to Saturday 11:30 to 14:30 and 17:30 to 22:00, closed on Mondays.",
            "23456",
            "from eleven thirty in the morning to two thirty in the afternoon and "
            "from five thirty in the afternoon to ten at night",
        ),
        (
            "We are open Monday to Friday from 9 to 12 and from 2 to 6.",
            "12345",
            "from nine in the morning to noon and from two in the afternoon to six in the evening",
        ),
        (
            "Open Mon-Fri 9-12, 14-18; Sat 9-12.",
            "123456",
            "from nine in the morning to noon and from two in the afternoon to six in the evening",
        ),
        (
            "Open 9 to 12 and 2 to 6 Monday to Friday.",
            "12345",
            "from nine in the morning to noon and from two in the afternoon to six in the evening",
        ),
        (
            "Open for lunch from 12 to 2 pm and for dinner from 6 to 10 pm.",
            "1234567",
            "from noon to two in the afternoon and from six in the evening to ten at night",
        ),
    ],
)
def test_a_day_has_hours_before_and_after_its_break(
    written: str, days: str, on_friday: str
) -> None:
    hours = opening_hours([written])
    assert "".join(str(d.isoweekday()) for d in WEEK if not hours.is_closed_on(d)) == days
    assert hours.on(WEEK[4]) == on_friday


def test_nobody_is_received_in_the_break() -> None:
    hours = opening_hours(["Open Tuesday to Saturday 11:30 to 14:30 and 17:30 to 22:00."])
    assert [hours.is_open_at(time(hour), WEEK[4]) for hour in (12, 16, 19, 22)] == [
        *(True, False, True, False)
    ]


@pytest.mark.parametrize(
    ("written", "saturday"),
    [
        ("Open from 9 to 5 on weekdays, 10 to 2 on Saturdays.", (10, 14)),
        ("Open Monday to Friday 9 to 5, 10 to 2 on Saturdays, 11 to 1 on Sundays.", (10, 14)),
        ("Open Monday to Friday 9 to 12, 2 to 6, Saturday 9 to 1.", (9, 13)),
    ],
)
def test_days_may_stand_behind_their_hours(written: str, saturday: tuple[int, int]) -> None:
    hours = opening_hours([written])
    assert hours.by_weekday[5] == tuple(hour * 60 for hour in saturday)
    assert hours.is_open_at(time(9), MONDAY)
    assert hours.is_open_at(time(16), MONDAY)


def test_days_before_hours_are_not_those_of_the_hours_before_them() -> None:
    hours = opening_hours(["We are open from 9 to 6, Saturdays from 10 to 2."])
    assert hours.is_open_at(time(9), MONDAY)


def test_sentences_add_up() -> None:
    hours = opening_hours(
        ["We are open Monday to Friday from 9 to 5.", "On Saturday we are open from 10 to 2."]
    )
    assert hours.is_open_at(time(11), WEEK[5])
    assert not hours.is_open_at(time(16), WEEK[5])
    assert hours.is_closed_on(WEEK[6])


def test_a_bar_is_open_after_midnight() -> None:
    hours = opening_hours(["Open daily from 7 pm to 1 am."])
    assert hours.is_open_at(time(0, 30), MONDAY)
    assert not hours.is_open_at(time(12), MONDAY)


@pytest.mark.parametrize(
    "written",
    [
        "We have 5 to 10 rooms.",
        "Call us from Monday.",
        "Parking is free.",
        "We are open to suggestions.",
        "The case is closed.",
    ],
)
def test_other_sentences_say_nothing_about_hours(written: str) -> None:
    hours = opening_hours([written])
    assert not any(hours.is_closed_on(day) for day in WEEK)
    assert hours.is_open_at(time(3), MONDAY)
