"""One tool of a server does not make a provider refuse the whole request."""

from __future__ import annotations

from typing import Any

import pytest

from pipelines.engine.tools.mcp.argument_schemas import as_shown, fault_of_arguments

OBJECT = {"type": "object"}


@pytest.mark.parametrize(
    "schema",
    [
        OBJECT,
        OBJECT | {"properties": {"a.b-c_D": {"anyOf": [{}]}}, "additionalProperties": False},
        OBJECT | {"properties": {"a": {"properties": {"any name": {}}}}},
        OBJECT | {"properties": True},
    ],
)
def test_what_all_providers_take_has_no_fault(schema: dict[str, Any]) -> None:
    assert fault_of_arguments(schema) is None


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": ["object"]},
        {"type": "string"},
        OBJECT | {"anyOf": [{}]},
        OBJECT | {"const": {}},
        OBJECT | {"properties": {"filter[id]": {}}},
        OBJECT | {"properties": {"x" * 65: {}}},
        OBJECT | {"properties": {"": {}}},
    ],
)
def test_anything_else_has_one(schema: dict[str, Any]) -> None:
    assert fault_of_arguments(schema) is not None


def test_a_model_is_shown_items_in_each_array_and_no_dialect() -> None:
    default = {"type": "array"}
    schema = OBJECT | {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "properties": {
            "days": {"type": "array", "default": [default]},
            "type": {"type": ["array", "null"]},
            "pair": {"type": "array", "prefixItems": [{"type": "array"}]},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["days"],
    }
    assert as_shown(schema) == OBJECT | {
        "properties": {
            "days": {"type": "array", "default": [default], "items": {}},
            "type": {"type": ["array", "null"], "items": {}},
            "pair": {"type": "array", "prefixItems": [{"type": "array", "items": {}}]},
            "names": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["days"],
    }
    assert "items" not in schema["properties"]["days"]


def test_an_object_without_properties_gets_them() -> None:
    assert as_shown(OBJECT) == {"type": "object", "properties": {}}
