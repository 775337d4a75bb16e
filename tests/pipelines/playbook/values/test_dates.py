from datetime import date

import pytest

from pipelines.playbook.values.dates import find_dates, speak_date
from pipelines.playbook.values.phrase import phrase

FRIDAY = date(2026, 11, 20)

_IN_ANY_SENTENCE = [
    ("next Tuesday please", "2026-11-24"),
    ("uh could we do tuesday", "2026-11-24"),
    ("how about this monday", "2026-11-23"),
    ("on friday", "2026-11-27"),
    ("next friday", "2026-11-27"),
    ("tomorrow would be great", "2026-11-21"),
    ("the day after tomorrow", "2026-11-22"),
    ("today if possible", "2026-11-20"),
    ("tonight", "2026-11-20"),
    ("in three days", "2026-11-23"),
    ("in a week", "2026-11-27"),
    ("in two weeks", "2026-12-04"),
    ("two weeks from now", "2026-12-04"),
    ("a week on friday", "2026-12-04"),
    ("tuesday next week", "2026-11-24"),
    ("the twenty fourth of november", "2026-11-24"),
    ("the twenty-fourth of November", "2026-11-24"),
    ("November 24th", "2026-11-24"),
    ("november the third", "2027-11-03"),
    ("Tuesday the 24th of November", "2026-11-24"),
    ("thursday the third", "2026-12-03"),
    ("the first", "2026-12-01"),
    ("may fifth twenty twenty seven", "2027-05-05"),
    ("12/24", "2026-12-24"),
    ("2026-12-01", "2026-12-01"),
    ("weds", "2026-11-25"),
]


@pytest.mark.parametrize(("said", "day"), _IN_ANY_SENTENCE)
def test_a_day_is_found_wherever_it_is_said(said: str, day: str) -> None:
    assert [found.value for found in find_dates(phrase(said), FRIDAY, expected=False)] == [day]


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("twenty fourth", "2026-11-24"),
        ("wendsday", "2026-11-25"),
        ("next wenesday please", "2026-11-25"),
        ("next to day please", "2026-11-24"),
        ("febuary fifth", "2027-02-05"),
    ],
)
def test_misheard_and_clipped_days_count_when_a_day_was_asked_for(said: str, day: str) -> None:
    assert [found.value for found in find_dates(phrase(said), FRIDAY, expected=True)] == [day]
    assert find_dates(phrase(said), FRIDAY, expected=False) == []


@pytest.mark.parametrize(
    "said", ["", "i may have a second", "thirty first of february", "march on", "13/40", "my son"]
)
def test_what_is_no_day_is_left_alone(said: str) -> None:
    assert find_dates(phrase(said), FRIDAY, expected=False) == []


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("two weeks from friday", ["2026-12-11"]),
        ("a fortnight on monday", ["2026-12-07"]),
        ("a week from tomorrow", ["2026-11-28"]),
        ("two days after tomorrow", ["2026-11-23"]),
        ("the day before the first", ["2026-11-30"]),
        ("the day after next tuesday", ["2026-11-25"]),
        ("friday in two weeks", ["2026-12-04"]),
        ("in two weeks on a monday", ["2026-11-30"]),
        ("a room for two weeks from friday", ["2026-11-27"]),
        ("some day after tuesday", []),
        ("not before the fifth", []),
        ("the week after the fifth", []),
        ("the friday after next", []),
        ("two fridays from now", []),
        ("the first monday of december", []),
        ("I was there last friday", []),
        ("two days from 9999-12-31", []),
    ],
)
def test_a_day_that_is_told_by_another_is_not_the_other(said: str, days: list[str]) -> None:
    assert [found.value for found in find_dates(phrase(said), FRIDAY, expected=True)] == days


@pytest.mark.parametrize(
    ("said", "days"),
    [
        ("one second please", []),
        ("hold on a second", []),
        ("just a second, friday", ["2026-11-27"]),
        ("the first available", []),
        ("first thing tomorrow", ["2026-11-21"]),
        ("the second week", []),
        ("the second", ["2026-12-02"]),
        ("is the fifth available", ["2026-12-05"]),
    ],
)
def test_an_ordinal_that_counts_something_else_is_no_day(said: str, days: list[str]) -> None:
    assert [found.value for found in find_dates(phrase(said), FRIDAY, expected=True)] == days


def test_a_day_of_birth_lies_in_the_past() -> None:
    said = phrase("the fifth of december nineteen eighty five")
    assert find_dates(said, FRIDAY, expected=True, past=True)[0].value == "1985-12-05"
    without_year = find_dates(phrase("december fifth"), FRIDAY, expected=True, past=True)
    assert without_year[0].value == "2025-12-05"


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("april third eighty five", "1985-04-03"),
        ("the third of april '85", "1985-04-03"),
        ("4/3/85", "1985-04-03"),
        ("april third oh five", "2005-04-03"),
        ("april three nineteen oh five", "1905-04-03"),
        ("april third nineteen eighty five", "1985-04-03"),
        ("12/25/26", "1926-12-25"),
    ],
)
def test_a_year_of_birth_may_be_said_in_two_digits(said: str, day: str) -> None:
    found = find_dates(phrase(said), FRIDAY, expected=True, past=True)
    assert [each.value for each in found] == [day]


def test_two_digits_of_a_written_date_are_its_year_but_not_of_a_spoken_one() -> None:
    for said, day in (("12/25/26", "2026-12-25"), ("december fifth ten thirty", "2026-12-05")):
        [found] = find_dates(phrase(said), FRIDAY, expected=True)
        assert found.value == day
        assert len(found.words) == (1 if "/" in said else 2)


def test_a_leap_day_waits_for_the_next_leap_year() -> None:
    assert find_dates(phrase("february 29th"), FRIDAY, expected=True)[0].value == "2028-02-29"


def test_the_words_of_a_day_can_be_told_from_the_rest() -> None:
    found = find_dates(
        phrase("well the twenty fourth of november at three"), FRIDAY, expected=False
    )
    assert list(found[0].words) == [1, 2, 3, 4, 5]


def test_days_are_spoken_with_the_year_only_when_it_is_far() -> None:
    assert speak_date(date(2026, 11, 24), FRIDAY) == "Tuesday the 24th of November"
    assert speak_date(date(2028, 2, 29), FRIDAY) == "the 29th of February 2028"
