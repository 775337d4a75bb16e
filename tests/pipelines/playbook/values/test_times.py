import pytest

from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.times import find_times, shifted


@pytest.mark.parametrize(
    ("said", "clock"),
    [
        ("half past three", "15:30"),
        ("at half-past three in the afternoon.", "15:30"),
        ("3 pm", "15:00"),
        ("3PM", "15:00"),
        ("at 3:30 p.m.", "15:30"),
        ("a ten in the morning", "10:00"),
        ("ten o'clock", "10:00"),
        ("ten oclock", "10:00"),
        ("at three", "15:00"),
        ("around nine", "09:00"),
        ("quarter to four", "15:45"),
        ("a quarter past nine", "09:15"),
        ("twenty past two", "14:20"),
        ("ten to three", "14:50"),
        ("three thirty", "15:30"),
        ("nine oh five", "09:05"),
        ("seven in the evening", "19:00"),
        ("tomorrow evening at eight", "20:00"),
        ("tonight at eight", "20:00"),
        ("9:30 tonight", "21:30"),
        ("tonight at twelve", "00:00"),
        ("this morning at seven", "07:00"),
        ("not tonight, tomorrow at nine", "09:00"),
        ("noon", "12:00"),
        ("midnight", "00:00"),
        ("twelve midnight", "00:00"),
        ("a quarter past noon", "12:15"),
        ("quarter to midday", "11:45"),
        ("five minutes past noon", "12:05"),
        ("half past midnight", "00:30"),
        ("tonight at ten to midnight", "23:50"),
        ("an hour before noon", "11:00"),
        ("half an hour after two", "14:30"),
        ("two hours before 5:30 pm", "15:30"),
        ("an hour before one", "12:00"),
        ("a quarter to one", "12:45"),
        ("a quarter of five", "16:45"),
        ("some time before noon", "morning"),
        ("after 12 noon", "afternoon"),
        ("at 15:00", "15:00"),
        ("12:30", "12:30"),
        ("twelve am", "00:00"),
        ("in the morning", "morning"),
        ("some time in the afternoon", "afternoon"),
    ],
)
def test_a_time_is_found_wherever_it_is_said(said: str, clock: str) -> None:
    assert [found.value for found in find_times(phrase(said), expected=False)] == [clock]


@pytest.mark.parametrize(
    ("said", "clock"), [("three", "15:00"), ("ten please", "10:00"), ("any time", "any")]
)
def test_a_bare_hour_counts_only_when_a_time_was_asked_for(said: str, clock: str) -> None:
    assert [found.value for found in find_times(phrase(said), expected=True)] == [clock]
    assert find_times(phrase(said), expected=False) == []


@pytest.mark.parametrize(
    ("said", "clocks"),
    [
        ("two to four", ["14:00", "16:00"]),
        ("from ten to five", ["10:00", "17:00"]),
        ("twenty to three", ["14:40"]),
        ("ten of five", ["16:50"]),
        ("two fifty", ["14:50"]),
        ("a quarter of an hour", []),
        ("three minutes to four", ["15:57"]),
        ("two minutes before four", ["15:58"]),
    ],
)
def test_hours_from_and_to_are_no_minutes(said: str, clocks: list[str]) -> None:
    assert [found.value for found in find_times(phrase(said), expected=True)] == clocks


@pytest.mark.parametrize("said", ["", "four people", "in three days", "my name is Anna", "at 99"])
def test_what_is_no_time_is_left_alone(said: str) -> None:
    assert find_times(phrase(said), expected=True) == []


def test_times_are_spoken_with_their_part_of_the_day() -> None:
    spoken = {s: find_times(phrase(s), expected=True)[0].spoken for s in ("3:30", "9:05", "8 pm")}
    assert spoken["3:30"] == "at three thirty in the afternoon"
    assert spoken["9:05"] == "at nine oh five in the morning"
    assert spoken["8 pm"] == "at eight in the evening"


def test_tonight_is_in_the_evening_also_where_it_is_known_as_a_day() -> None:
    said = phrase("tonight at eight")
    [found] = find_times(said.without([0]), expected=False)
    assert found.spoken == "at eight in the evening"
    assert not found.is_half_assumed


def test_a_part_of_the_day_moves_a_known_time() -> None:
    moved = shifted("07:30", "evening")
    assert moved is not None
    assert moved.value == "19:30"
    assert shifted("morning", "evening") is None
