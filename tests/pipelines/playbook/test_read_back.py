from __future__ import annotations

import pytest

from contracts.agent_config import RequiredSlot
from pipelines.playbook.read_back import part, statement
from pipelines.playbook.state import Value
from pipelines.playbook.values.slot_types import fields


@pytest.mark.parametrize(
    ("name", "description", "said", "expected"),
    [
        ("reason", "", "my tooth hurts", "the reason is your tooth hurts"),
        ("problem", "", "I lost my keys", "the problem is you lost your keys"),
        ("party_size", "", "4", "4 people"),
        ("party_size", "", "1", "1 person"),
        ("number_of_nights", "", "3", "3 nights"),
        ("address", "", "12 Mill Road", "the address is 12 Mill Road"),
        ("special_wishes", "", "a window seat", "the special wishes are a window seat"),
        ("order", "", "two margheritas for me", "the order is two margheritas for you"),
        ("budget", "", "250 dollars", "the budget is 250 dollars"),
        ("own_home", "Do you own your home?", "yes", "you own your home"),
        ("own_home", "Do you own your home?", "no", "you do not own your home"),
        ("insured", "Are you insured?", "no", "you are not insured"),
    ],
)
def test_a_value_is_a_part_of_a_sentence(
    name: str, description: str, said: str, expected: str
) -> None:
    [field] = fields(RequiredSlot(name=name, description=description))
    assert part(field, Value(said, said)) == expected


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Have you been here before?", "you have been here before"),
        ("Can you pay today?", "you can pay today"),
        ("What is your name?", ""),
    ],
)
def test_a_question_about_the_caller_can_be_stated(question: str, expected: str) -> None:
    assert statement(question) == expected
