import pytest

from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.quantities import find_amounts, find_numbers


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("four", "4"),
        ("uh twenty five", "25"),
        ("two hundred and fifty", "250"),
        ("a hundred", "100"),
        ("twelve hundred", "1200"),
        ("one thousand two hundred and one", "1201"),
        ("three million", "3000000"),
        ("one point five", "1.5"),
        ("just me", "1"),
        ("a couple", "2"),
        ("none", "0"),
        ("I am 42 years old", "42"),
    ],
)
def test_a_number_that_was_asked_for(said: str, number: str) -> None:
    assert [found.value for found in find_numbers(phrase(said), expected=True)] == [number]


def test_numbers_one_after_the_other_are_not_one() -> None:
    for said, numbers in (
        ("one million, two million", ["1000000", "2000000"]),
        ("two hundred, three hundred", ["200", "300"]),
    ):
        found = find_numbers(phrase(said), expected=True)
        assert [item.value for item in found] == numbers


@pytest.mark.parametrize(
    ("said", "number"),
    [
        ("a table for four on Tuesday", "4"),
        ("a party of six", "6"),
        ("five people please", "5"),
        ("there will be three of us", "3"),
    ],
)
def test_a_count_is_found_unasked_by_what_stands_around_it(said: str, number: str) -> None:
    found = find_numbers(phrase(said), expected=False, units=["people"])
    assert [item.value for item in found] == [number]


@pytest.mark.parametrize(
    ("said", "numbers"),
    [
        ("two adults and three kids", ["5"]),
        ("an adult, two children and a baby", ["4"]),
        ("a table for two adults and two children", ["4"]),
        ("two adults", ["2"]),
        ("four people including two kids", ["4"]),
        ("me, my wife and two kids", []),
        ("two adults and my son", []),
        ("two adults, two kids, no, three kids", []),
        ("two or three", []),
        ("six to eight people", []),
        ("from one to ten, eight", ["8"]),
    ],
)
def test_how_many_people_there_are_is_not_guessed_from_a_part_of_them(
    said: str, numbers: list[str]
) -> None:
    asked, unasked = (
        [item.value for item in find_numbers(phrase(said), expected=expected, units=["people"])]
        for expected in (True, False)
    )
    assert asked[:1] == numbers
    assert unasked in (numbers, [])


def test_groups_that_are_asked_for_one_by_one_are_counted_one_by_one() -> None:
    found = find_numbers(phrase("two adults and three kids"), expected=True, units=["adults"])
    assert [item.value for item in found] == ["2", "3"]


def test_a_loose_number_is_no_count() -> None:
    assert find_numbers(phrase("twenty five"), expected=False) == []
    assert find_numbers(phrase("this one please"), expected=False) == []


@pytest.mark.parametrize(
    ("said", "amount"),
    [
        ("fifty dollars", "50 USD"),
        ("$49.99", "49.99 USD"),
        ("about two thousand five hundred euros", "2500 EUR"),
        ("$1,200", "1200 USD"),
        ("five dollars and ten cents", "5.10 USD"),
        ("fifty cents", "0.50"),
        ("around 5k", "5000"),
        ("fifty grand", "50000"),
        ("three hundred", "300"),
        ("$1,500,000", "1500000 USD"),
        ("$1.5 million", "1500000 USD"),
        ("€2 million", "2000000 EUR"),
        ("$50k", "50000 USD"),
        ("one million two hundred thousand dollars", "1200000 USD"),
        ("one point five million dollars", "1500000 USD"),
        ("two and a half thousand euros", "2500 EUR"),
        ("half a million", "500000"),
        ("a hundred and five thousand pounds", "105000 GBP"),
    ],
)
def test_an_amount_keeps_its_currency(said: str, amount: str) -> None:
    assert [found.value for found in find_amounts(phrase(said), expected=True)] == [amount]


@pytest.mark.parametrize(
    "said",
    [
        "between 200 and 300 dollars",
        "200 to 300",
        "200 dollars, up to 300",
        "two or three hundred dollars",
        "$200-$300",
        "between $50k and $60k",
        "50 to 60k",
        "two fifty",
        "two fifty dollars",
    ],
)
def test_of_two_amounts_that_it_may_be_none_counts(said: str) -> None:
    assert find_amounts(phrase(said), expected=True) == []


def test_the_parts_of_one_amount_and_of_a_correction_are_not_two_that_it_may_be() -> None:
    for said, amounts in (
        ("one point two five", ["1.25"]),
        ("one point two five dollars", ["1.25 USD"]),
        ("200, no, 300", ["200", "300"]),
    ):
        assert [found.value for found in find_amounts(phrase(said), expected=True)] == amounts
