from __future__ import annotations

import pytest

from pipelines.engine.providers.local.spoken_numbers import readable


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Your code is 0042.", "Your code is 0 0 4 2."),
        ("Call +1 212 555 0123, please.", "Call plus 1, 2 1 2, 5 5 5, 0 1 2 3, please."),
        ("Call +12125550123.", "Call plus 1 2 1 2 5 5 5 0 1 2 3."),
        ("It is (212) 555-0123.", "It is 2 1 2, 5 5 5, 0 1 2 3."),
        ("1-800-555-0199", "1, 8 0 0, 5 5 5, 0 1 9 9"),
        ("020 7946 0958", "0 2 0, 7 9 4 6, 0 9 5 8"),
        ("2125550123", "2 1 2 5 5 5 0 1 2 3"),
        ("The order 0012-345", "The order 0 0 1 2, 3 4 5"),
    ],
)
def test_no_digit_of_a_phone_number_or_code_is_lost(written: str, read: str) -> None:
    assert readable(written) == read


@pytest.mark.parametrize(
    "text",
    [
        "It costs $1,005.50, or 0.005 of it.",
        "On 2026-11-28 or 05/06/2026 at 09:05.",
        "From 1990-2000, for 500-1000 people.",
        "Room 101, 1500000 dollars, 24/7.",
    ],
)
def test_other_numbers_are_read_as_they_are(text: str) -> None:
    assert readable(text) == text


@pytest.mark.parametrize(
    ("written", "read"), [("It is 100€.", "It is €100."), ("49.99 $ a month", "$49.99 a month")]
)
def test_a_currency_is_said_wherever_its_sign_stands(written: str, read: str) -> None:
    assert readable(written) == read
