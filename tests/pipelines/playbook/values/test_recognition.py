from __future__ import annotations

from datetime import date

import pytest

from contracts.agent_config import RequiredSlot
from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.recognition import Place, find
from pipelines.playbook.values.slot_types import fields, free_field

TODAY = Place(date(2026, 1, 5), None)


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("राम कुमार।", "राम कुमार"),
        ("میرا نام علی ہے۔", "میرا نام علی ہے"),
        ("أحمد، من دمشق.", "أحمد من دمشق"),
        ("王小明。", "王小明"),
        ("สมชาย", "สมชาย"),
        ("Анна Петрова!", "Анна Петрова"),
    ],
)
def test_a_value_in_another_script_has_no_full_stop_in_it(said: str, value: str) -> None:
    field = free_field(RequiredSlot(name="नाम"))
    assert [each.value for each in find(field, phrase(said), TODAY, expected=True)] == [value]


@pytest.mark.parametrize(
    ("slot", "value"),
    [("first_name", "Anna"), ("caller_surname", "Smith"), ("first_and_last_name", "Anna Smith")],
)
def test_of_a_name_that_is_said_in_parts_a_slot_gets_its_own(slot: str, value: str) -> None:
    [field] = fields(RequiredSlot(name=slot))
    said = phrase("first name Anna, last name Smith")
    assert [each.value for each in find(field, said, TODAY, expected=True)] == [value]


@pytest.mark.parametrize("said", ["no idea", "no clue", "dunno", "Whatever.", "I'm not sure"])
@pytest.mark.parametrize("slot", ["favourite_colour", "has_insurance"])
def test_who_does_not_know_gives_no_value(slot: str, said: str) -> None:
    [field] = fields(RequiredSlot(name=slot))
    assert find(field, phrase(said), TODAY, expected=True) == []
