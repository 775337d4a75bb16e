"""Arguments that the engine has mended, and that are still nothing that others can read."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.webhooks.argument_faults import are_json


def nested(levels: int) -> dict[str, Any]:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    assert isinstance(value, dict)
    return value


@pytest.mark.parametrize(
    "arguments",
    [
        {"price": float("inf")},
        {"price": float("nan")},
        {"note": "\ud800"},
        {"\ud800": "note"},
        {"note": "\ud83d" + "\ude00"},
        {"guests": 10**5_000},
        nested(300),
        nested(5_000),
    ],
    ids=["infinity", "nan", "half", "half in a name", "two halves", "digits", "deep", "very deep"],
)
def test_what_nobody_can_read_is_no_json(arguments: dict[str, Any]) -> None:
    assert not are_json(arguments)


def test_what_a_model_usually_sends_is_json() -> None:
    assert are_json({"day": "Tuesday \U0001f600", "guests": 4, "more": [None, True, 0.5, {}]})
    assert are_json(nested(100))
