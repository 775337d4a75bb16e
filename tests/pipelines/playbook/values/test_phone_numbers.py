import pytest

from pipelines.playbook.values.phone_numbers import as_dictated, dictated_digits, find_phone_numbers
from pipelines.playbook.values.phrase import phrase


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("four one five five five five two six seven one", "+14155552671"),
        ("My phone number is 415-555-2671.", "+14155552671"),
        ("+1 (415) 555-2671", "+14155552671"),
        ("it's four one five triple five two six seven one", "+14155552671"),
        ("plus four four two oh seven nine four six oh nine five eight", "+442079460958"),
        ("area code 415 then 555 26 71", "+14155552671"),
        ("four one five five five five to six seven one", "+14155552671"),
        ("eight hundred five five five one two one two", "+18005551212"),
        ("one eight hundred, five five five, one two one two", "+18005551212"),
        ("415 555 2671, no, sorry, 415 555 2672", "+14155552672"),
        ("415 555 2671, no, two six seven two", "+14155552672"),
        ("415 555 2671, oh no, I mean 72", "+14155552672"),
        ("+1 415 555 2671, sorry, 212 999 4444", "+12129994444"),
        ("415 555 2671 and no one else", "+14155552671"),
        ("415 555 2671, extension 12", "+14155552671"),
    ],
)
def test_a_number_is_read_in_digits_and_words(said: str, number: str) -> None:
    assert [f.value for f in find_phone_numbers(phrase(said), "US", whole=True)] == [number]


def test_a_doubled_zero_may_come_first() -> None:
    said = phrase("double oh four four two oh seven nine four six oh nine five eight")
    [found] = find_phone_numbers(said, "DE", whole=True)
    assert found.value == "+442079460958"


def test_a_number_is_asked_for_again_if_it_is_not_clear_what_a_correction_replaces() -> None:
    assert find_phone_numbers(phrase("415 555 2671, no, 416"), "US", whole=True) == []


def test_a_number_without_its_area_code_may_still_go_on() -> None:
    said = phrase("five five five two six seven one")
    assert find_phone_numbers(said, "US", whole=True) == []
    assert dictated_digits(said) == "5552671"
    number = as_dictated("5552671", "US")
    assert number is not None
    assert number.value == "5552671"


@pytest.mark.parametrize("said", ["", "next tuesday at three", "four people", "one two three"])
def test_few_digits_are_no_number(said: str) -> None:
    assert find_phone_numbers(phrase(said), "US", whole=False) == []


def test_numbers_are_spoken_digit_by_digit_in_groups() -> None:
    found = find_phone_numbers(phrase("4155552671"), "US", whole=True)
    assert found[0].spoken == "4 1 5, 5 5 5, 2 6 7 1"
