from __future__ import annotations

from datetime import date

import pytest

from contracts.agent_config import RequiredSlot
from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.recognition import Place, find
from pipelines.playbook.values.slot_types import fields

PLACE = Place(date(2026, 11, 20), "US")


def found(name: str, said: str) -> list[str]:
    [field] = fields(RequiredSlot(name=name))
    return [each.value for each in find(field, phrase(said), PLACE, expected=True)]


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("94110", "94110"),
        ("nine four one one oh", "94110"),
        ("it's oh two one three nine", "02139"),
        ("Oh, nine four one one zero", "94110"),
        ("ten four eighty-one", "10481"),
        ("double four one dash triple five", "441555"),
        ("it's 4 5 6 7 for Smith", "4567"),
        ("94110 and I live at number 12", "94110"),
    ],
)
@pytest.mark.parametrize("name", ["zip_code", "order_number"])
def test_the_digits_of_a_code_are_one_value(name: str, said: str, code: str) -> None:
    assert found(name, said) == [code]


def test_a_code_with_letters_is_not_cut_to_its_digits() -> None:
    assert found("order_number", "k l one two three") == []
    assert found("order_number", "one two three x") == []


def test_both_codes_of_a_correction_are_found() -> None:
    assert found("zip_code", "nine four one one oh no nine four one one two") == ["94110", "94112"]


def test_what_is_counted_is_no_code() -> None:
    assert found("number_of_guests", "four, no five") == ["4", "5"]
