from __future__ import annotations

from typing import Any

import pytest

from contracts.agent_config import PostCall
from control_plane.calling.intelligence.analysers.assignment import (
    MOST_CRITERIA,
    Assignment,
    SpokenTurn,
    criteria_of,
)
from control_plane.calling.intelligence.analysers.findings import Obstacle
from control_plane.calling.intelligence.analysers.local.analyser import analyse_locally
from control_plane.calling.intelligence.analysers.local.sentiment import sentiment_of


def filled(schema: dict[str, Any], slots: dict[str, str], said: str = "Hello.") -> Any:
    settings = PostCall.model_validate({"structured_extraction": {"json_schema": schema}})
    return analyse_locally(
        Assignment(
            agent_name="Reception",
            locale="en-US",
            turns=(SpokenTurn(0, "user", said, 0),),
            slots=slots,
            settings=settings,
            end_reason=None,
            connected_ms=1_000,
        )
    )


@pytest.mark.parametrize(
    ("about", "value", "expected"),
    [
        ({"type": "string"}, "four", "four"),
        ({"type": "integer"}, "4 people", 4),
        ({"type": "number"}, "1,250.50", 1250.5),
        ({"type": "boolean"}, "Yes", True),
        ({"type": "boolean"}, "no", False),
        ({"enum": ["Red", "Blue"]}, "blue", "Blue"),
        ({"type": ["null", "integer"]}, "7", 7),
        ({}, "four", "four"),
    ],
)
def test_a_slot_fills_the_property_of_its_name_as_its_type(
    about: dict[str, Any], value: str, expected: object
) -> None:
    found = filled({"properties": {"partySize": about}}, {"party_size": value})
    assert found.structured_data == {"partySize": expected}


@pytest.mark.parametrize(
    ("about", "value"),
    [
        ({"type": "integer"}, "many"),
        ({"type": "boolean"}, "perhaps"),
        ({"enum": ["Red"]}, "green"),
        ({"type": "integer", "minimum": 10}, "4"),
        ({"type": "array"}, "4"),
    ],
)
def test_a_value_that_does_not_fit_is_left_out(about: dict[str, Any], value: str) -> None:
    assert filled({"properties": {"size": about}}, {"size": value}).structured_data == {}


def test_the_slot_with_the_most_words_in_common_is_taken() -> None:
    schema = {"properties": {"name": {}, "company_name": {}}}
    found = filled(schema, {"company_name": "Acme", "name": "Ada"})
    assert found.structured_data == {"name": "Ada", "company_name": "Acme"}


def test_addresses_that_were_said_are_found_without_a_slot() -> None:
    schema = {"properties": {"email": {}, "contact": {"format": "email"}, "phone": {}}}
    found = filled(schema, {}, "Write to ada@example.com or call +44 20 7946 0958.")
    assert found.structured_data == {
        "email": "ada@example.com",
        "contact": "ada@example.com",
        "phone": "+44 20 7946 0958",
    }


def test_a_required_value_that_was_not_found_is_null_or_an_error() -> None:
    may_be_null = {"properties": {"a": {"type": ["string", "null"]}}, "required": ["a"]}
    assert filled(may_be_null, {}).structured_data == {"a": None}
    found = filled({"properties": {"a": {"type": "string"}}, "required": ["a"]}, {})
    assert found.structured_data is None
    assert [error.obstacle for error in found.errors] == [Obstacle.NOT_FOUND]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (["Thank you, that is great!"], "positive"),
        (["This is terrible.", "I am angry."], "negative"),
        (["A table for four."], "neutral"),
        (["That is not good."], "negative"),
        (["No problem."], "positive"),
        (["The food was great, the waiter was rude."], "mixed"),
        ([], "neutral"),
    ],
)
def test_sentiment_is_counted_in_words(said: list[str], expected: str) -> None:
    assert sentiment_of(said) == expected


@pytest.mark.parametrize(
    ("rubric", "expected"),
    [
        ("1. Greets.\n2. Asks for the name.", ("Greets.", "Asks for the name.")),
        ("Judge these:\n1) Greets\n   warmly\n2) Asks", ("Greets warmly", "Asks")),
        ("- Greets\n* Asks", ("Greets", "Asks")),
        ("Was it polite?\n\nWas it short?", ("Was it polite?", "Was it short?")),
        ("Polite?", ("Polite?",)),
    ],
)
def test_a_rubric_is_taken_apart(rubric: str, expected: tuple[str, ...]) -> None:
    assert criteria_of(rubric) == expected


def test_a_rubric_has_an_end() -> None:
    assert len(criteria_of("\n".join(f"{n}. x" for n in range(1, 200)))) == MOST_CRITERIA
