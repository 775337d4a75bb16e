from __future__ import annotations

import pytest

from contracts.agent_config import RequiredSlot
from pipelines.playbook.values.answers_in_words import asks_something, first_words, fits
from pipelines.playbook.values.phrase import phrase
from pipelines.playbook.values.slot_types import Field, fields


def field(name: str) -> Field:
    [found] = fields(RequiredSlot(name=name))
    return found


@pytest.mark.parametrize(
    "said",
    [
        "Yes",
        "no",
        "yes please",
        "sure",
        "okay",
        "I don't know",
        "later",
        "do you deliver?",
        "not now",
        "right",
    ],
)
def test_these_are_no_addresses(said: str) -> None:
    assert not fits(field("delivery_address"), phrase(said))


@pytest.mark.parametrize(
    "said",
    [
        "5 King Street",
        "twelve Mill Road",
        "Main street seven",
        "the old farm",
        "apartment 4",
        "next to the library",
        "Oak Avenue 9",
        "unit twelve, Harbor Mall",
        "the corner of Elm and Pine",
        "Flat 2, 10 Queen Square",
    ],
)
def test_these_are_addresses(said: str) -> None:
    assert fits(field("address"), phrase(said))


@pytest.mark.parametrize(
    "said",
    [
        "Do you accept Medicare?",
        "where are you",
        "how much is it",
        "what does it cost",
        "are you open on Sunday",
        "is there parking",
        "who am I talking to",
        "when do you close",
        "can I pay by card",
        "why do you ask",
        "will it hurt",
    ],
)
def test_a_question_is_no_reason(said: str) -> None:
    assert asks_something(phrase(said))


@pytest.mark.parametrize(
    "said",
    [
        "my tooth hurts",
        "can I get a check-up",
        "when I bite it hurts",
        "what I need is a crown",
        "could you fix my sink",
        "I want to know my balance",
        "how my car broke down",
        "have a cough",
        "can we book a table",
        "what happened is that I fell",
    ],
)
def test_these_may_be_reasons(said: str) -> None:
    assert not asks_something(phrase(said))


@pytest.mark.parametrize(
    ("name", "said", "expected"),
    [
        ("problem", "Hi, my kitchen sink is leaking", "my kitchen sink is leaking"),
        ("problem", "hello", None),
        ("reason", "I'd like to make an appointment", None),
        ("reason", "I need an appointment for a broken tooth", "broken tooth"),
        ("order", "Can I order two large margheritas", "two large margheritas"),
        ("order", "I'd like to place an order", None),
        ("service", "I'd like to book a haircut", "haircut"),
        ("service", "I'd like to book an appointment", None),
        ("address", "I live at 5 King Street", None),
        ("problem", "what are your hours", None),
    ],
)
def test_the_first_words_say_what_it_is_about(name: str, said: str, expected: str | None) -> None:
    found = first_words(field(name), phrase(said))
    assert [expected in item.value for item in found] == ([True] if expected else [])
