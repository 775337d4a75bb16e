"""What is wrong with a request is said in the words of JSON, whatever pydantic calls it."""

from __future__ import annotations

import re
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, get_args
from uuid import UUID

import pytest
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    Field,
    HttpUrl,
    NaiveDatetime,
    StringConstraints,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import core_schema

from control_plane.platform.http.validation import MESSAGES, field_errors

NOT_FROM_JSON = {
    # Of Python objects, their attributes and types.
    "no_such_attribute",
    "get_attribute_error",
    "needs_python_object",
    "frozen_field",
    "frozen_instance",
    "dataclass_exact_type",
    "is_instance_of",
    "is_subclass_of",
    "callable_type",
    "default_factory_not_called",
    "missing_sentinel_error",
    "ellipsis_error",
    "iteration_error",
    # Of types that JSON has not, and that no field of ours has.
    "counter_type",
    "deque_type",
    "frozen_dict_type",
    "ordered_dict_type",
    "complex_type",
    "complex_str_parsing",
    "fraction_type",
    "fraction_parsing",
    "bytes_invalid_encoding",
    # Of function calls.
    "arguments_type",
    "missing_argument",
    "unexpected_keyword_argument",
    "missing_keyword_only_argument",
    "unexpected_positional_argument",
    "missing_positional_only_argument",
    "multiple_argument_values",
    # JSON inside of JSON.
    "json_type",
}
IN_WORDS_OF_THEIR_OWN = {"json_invalid", "value_error", "assertion_error"}


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Persona(BaseModel):
    name: str


class Dog(BaseModel):
    kind: Literal["dog"]


class Cat(BaseModel):
    kind: Literal["cat"]


Pet = Annotated[Dog | Cat, Field(discriminator="kind")]


def message(kind: Any, sent: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        TypeAdapter(kind).validate_python(sent)
    return field_errors(caught.value.errors())[0]["message"]


@pytest.mark.parametrize(
    ("kind", "sent", "expected"),
    [
        (Persona, [], "must be an object"),
        (Persona, {}, "is required"),
        (dict[str, int], [], "must be an object"),
        (list[int], {}, "must be an array"),
        (tuple[int, ...], "no", "must be an array"),
        (set[int], 7, "must be an array"),
        (frozenset[int], 7, "must be an array"),
        (Annotated[tuple[int, ...], Field(min_length=1)], [], "must have at least 1 item"),
        (Annotated[list[int], Field(max_length=2)], [1, 2, 3], "must have at most 2 items"),
        (
            Annotated[dict[str, int], Field(max_length=1)],
            {"a": 1, "b": 2},
            "must have at most 1 item",
        ),
        (str, 5, "must be a string"),
        (Annotated[str, Field(min_length=1)], "", "must have at least 1 character"),
        (Annotated[str, Field(max_length=3)], "long", "must have at most 3 characters"),
        (Annotated[str, StringConstraints(pattern="^a$")], "b", "must match the pattern ^a$"),
        (Literal["a", "b"], "c", "must be 'a' or 'b'"),
        (Colour, "green", "must be 'red' or 'blue'"),
        (bool, "often", "must be true or false"),
        (bool, {}, "must be true or false"),
        (int, "x", "must be an integer"),
        (int, 1.5, "must be an integer"),
        (int, [], "must be an integer"),
        (int, "9" * 5000, "must be an integer of fewer digits"),
        (float, "x", "must be a number"),
        (float, {}, "must be a number"),
        (Annotated[float, Field(allow_inf_nan=False)], float("inf"), "must be a finite number"),
        (Decimal, "x", "must be a number"),
        (Annotated[int, Field(gt=0)], 0, "must be greater than 0"),
        (Annotated[int, Field(ge=1)], 0, "must be at least 1"),
        (Annotated[int, Field(lt=2)], 2, "must be less than 2"),
        (Annotated[float, Field(le=0.5)], 0.6, "must be at most 0.5"),
        (Annotated[int, Field(multiple_of=2)], 3, "must be a multiple of 2"),
        (date, "tomorrow", "must be a date such as 2026-01-31"),
        (time, "noon", "must be a time such as 09:30:00"),
        (datetime, "now", "must be a date and time such as 2026-01-31T09:30:00Z"),
        (datetime, [], "must be a date and time such as 2026-01-31T09:30:00Z"),
        (AwareDatetime, "2026-01-31T09:30:00", "must have a time zone, such as Z or +02:00"),
        (NaiveDatetime, "2026-01-31T09:30:00Z", "must have no time zone"),
        (timedelta, [], "must be a number of seconds"),
        (UUID, "7", "must be a UUID in a string"),
        (UUID, 7, "must be a UUID in a string"),
        (HttpUrl, "x", "must be a URL such as https://example.com/path"),
        (HttpUrl, "ftp://example.com", "must be a URL that begins with 'http' or 'https'"),
        (Pet, {}, "must have the field 'kind'"),
        (Pet, {"kind": "cow"}, "must have a 'kind' that is one of 'dog', 'cat'"),
        (None, 1, "must be null"),
    ],
)
def test_each_error_says_what_would_be_right(kind: Any, sent: Any, expected: str) -> None:
    assert message(kind, sent) == expected


def test_our_own_checks_speak_for_themselves() -> None:
    def refuse(_: str) -> str:
        raise ValueError("is taken")

    assert message(Annotated[str, AfterValidator(refuse)], "x") == "is taken"


def test_every_type_of_error_that_json_can_cause_has_words() -> None:
    types = set(get_args(core_schema.ErrorType))
    assert types - NOT_FROM_JSON - IN_WORDS_OF_THEIR_OWN == set(MESSAGES) & types
    assert set(MESSAGES) <= types


PYTHON = r"\b(tuple|dict|dictionary|list|set|instance|None|bool|float|datetime|Persona|input)\b"


@pytest.mark.parametrize("text", MESSAGES.values(), ids=MESSAGES.keys())
def test_no_message_speaks_of_python(text: str) -> None:
    assert not re.search(PYTHON, text)
