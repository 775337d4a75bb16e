from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from control_plane.calling.numbers.phone_number import e164


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("+14155550100", "+14155550100"),
        (" +1 (415) 555-0100 ", "+14155550100"),
        ("+1.415.555.0100", "+14155550100"),
        ("+44 (0)20 7946 0000", "+442079460000"),
        ("+49 30\u00a01234567", "+49301234567"),
        ("+39 06 698 12345", "+390669812345"),
        ("+80012345678", "+80012345678"),
    ],
)
def test_a_number_has_one_form(text: str, expected: str) -> None:
    assert e164(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "+",
        "4155550100",
        "0014155550100",
        "tel:+14155550100",
        "+1415",
        "+14155550100;ext=5",
        "+1 415 555 0100 ext 5",
        "+1800FLOWERS",
        "+999123456789",
        "+0123456789",
        "+1٤١٥٥٥٥٠١٠٠",
        "＋14155550100",
        "+1415555010012345678",
        "+14155550100\n+14155550101",
        "+" + "1" * 10_000,
    ],
)
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        e164(text)


@given(st.from_regex(r"\+[0-9 ().\-/]{0,30}", fullmatch=True))
def test_a_normalised_number_is_its_own_form(text: str) -> None:
    try:
        number = e164(text)
    except ValueError:
        return
    assert number[1:].isdecimal()
    assert e164(number) == number
