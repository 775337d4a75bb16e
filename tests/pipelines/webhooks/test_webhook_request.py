"""Where a tool's arguments and the call's variables stand in its HTTP request."""

from __future__ import annotations

import json
from typing import Any

import httpx2
import pytest

from contracts.tool_bindings import CallWebhook
from pipelines.webhooks.webhook_request import WebhookRequest, webhook_request

ARGUMENTS = {"day": "Mon & Tue", "guests": 4, "window": True, "near": {"a": 1}, "none": None}


def request(
    arguments: dict[str, Any],
    *,
    headers: dict[str, str] | None = None,
    variables: dict[str, object] | None = None,
    **fields: Any,
) -> WebhookRequest:
    """``arguments`` are declared, unless ``fields`` say otherwise."""
    tool = CallWebhook.model_validate(
        {"type": "call_webhook", "name": "book", "description": "Books."}
        | {"url": "https://example.com/tables"}
        | {"parameters": {"type": "object", "properties": {name: {} for name in arguments}}}
        | fields
    )
    return webhook_request(tool, headers or {}, arguments, variables or {})


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH"])
def test_arguments_are_the_json_body(method: str) -> None:
    made = request(ARGUMENTS, method=method)
    assert made.body is not None
    assert json.loads(made.body) == ARGUMENTS
    assert made.url == "https://example.com/tables"
    assert made.headers["Content-Type"] == "application/json"


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_arguments_are_the_query(method: str) -> None:
    made = request(ARGUMENTS, method=method, url="https://example.com/tables?kind=all")
    assert made.body is None
    assert made.url == (
        "https://example.com/tables?kind=all&day=Mon+%26+Tue&guests=4&window=true"
        "&near=%7B%22a%22%3A+1%7D"
    )


def test_a_name_in_another_script_stands_for_the_value_itself() -> None:
    made = request({"संख्या": 4, "größe": 2}, body={"guests": "{{ संख्या }}", "size": "{{größe}}"})
    assert made.body is not None
    assert json.loads(made.body) == {"guests": 4, "size": 2}


def test_a_body_of_its_own_takes_arguments_and_variables() -> None:
    body = {
        "table": {"day": "{{ day }}", "guests": "{{guests}}", "note": "for {{ guests }} people"},
        "caller": "{{ customer.name }}",
        "tags": ["phone", "{{ window }}", 7],
        "unknown": "{{ missing }}",
    }
    made = request(ARGUMENTS, body=body, variables={"customer.name": "Ada", "day": "never"})
    assert made.body is not None
    assert json.loads(made.body) == {
        "table": {"day": "Mon & Tue", "guests": 4, "note": "for 4 people"},
        "caller": "Ada",
        "tags": ["phone", True, 7],
        "unknown": None,
    }


def test_an_argument_is_never_read_as_a_template() -> None:
    made = request({"day": "{{ secret }}"}, body={"day": "{{ day }}"}, variables={"secret": "x"})
    assert made.body is not None
    assert json.loads(made.body) == {"day": "{{ secret }}"}


def test_a_header_takes_variables_and_stays_one_line() -> None:
    made = request(
        {"id": "7\r\nX-Evil: 1 ü"},
        headers={"X-Customer": "{{ id }}/{{ tier }}", "Authorization": "Bearer s3cr3t"},
        variables={"tier": "gold"},
    )
    assert made.headers["X-Customer"] == "7 X-Evil: 1  /gold"
    assert made.headers["Authorization"] == "Bearer s3cr3t"


DAY_ONLY = {"type": "object", "properties": {"day": {"type": "string"}}}


def test_an_argument_that_is_not_declared_replaces_nothing() -> None:
    """A caller may have talked the model into it."""
    told: dict[str, Any] = {"day": "Monday", "account": "999", "scope": "all"}
    known: dict[str, Any] = {"headers": {"X-Account": "{{ account }}"}, "parameters": DAY_ONLY}
    known["variables"] = {"account": "123"}
    got = request(told, method="GET", url="https://example.com/tables?scope=own", **known)
    assert got.url == "https://example.com/tables?scope=own&day=Monday"
    assert got.headers["X-Account"] == "123"
    posted = request(told, body={"account": "{{ account }}", "on": "{{ day }}"}, **known)
    assert json.loads(posted.body or b"") == {"account": "123", "on": "Monday"}
    assert json.loads(request(told, **known).body or b"") == {"day": "Monday"}


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "additionalProperties": True},
        DAY_ONLY | {"additionalProperties": {"type": "string"}},
        {"type": "object", "patternProperties": {"^g": {}}},
        {"$ref": "#/$defs/table", "$defs": {"table": {"type": "object"}}},
        {"allOf": [DAY_ONLY, {"properties": {"guests": {"type": "integer"}}}]},
    ],
)
def test_a_schema_may_declare_arguments_in_other_ways(schema: dict[str, Any]) -> None:
    told = {"day": "Monday", "guests": 4}
    assert json.loads(request(told, parameters=schema).body or b"") == told


def test_a_tool_without_parameters_sends_no_arguments() -> None:
    nothing = {"type": "object", "properties": {}}
    assert json.loads(request({"day": "Monday"}, parameters=nothing).body or b"") == {}


def test_what_is_too_long_for_an_address_is_no_request() -> None:
    with pytest.raises(httpx2.InvalidURL, match="too long"):
        request({"note": "x" * 70_000}, method="GET")
