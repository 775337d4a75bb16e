"""Tenants' JSON Schemas: compiled when saved, and never a reason to open a file or connection."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from control_plane.platform.json_schemas import checking
from schema_sandbox.limits import MAX_BYTES
from schema_sandbox.sandbox import TOO_COSTLY, schema_sandbox


def fault_of(schema: dict[str, Any]) -> str | None:
    found = checking.first_fault({"fine": {}, "theirs": schema}, schema_sandbox())
    assert found is None or found[0] == "theirs" or found[1].startswith(TOO_COSTLY)
    return None if found is None else found[1]


def doubled(times: int) -> dict[str, Any]:
    """Each definition names the next one twice."""
    definitions: dict[str, Any] = {
        f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(times)
    }
    definitions[f"d{times}"] = {"type": "string"}
    return {"properties": {"a": {"$ref": "#/$defs/d0"}}, "$defs": definitions}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"date": {"type": "string", "format": "date"}}},
        {"$ref": "#/$defs/slot", "$defs": {"slot": {"type": "string"}}},
        {"$ref": "#"},
        {"$schema": "https://json-schema.org/draft/2020-12/schema"},
        {"$schema": "http://json-schema.org/draft-07/schema#"},
    ],
)
def test_a_schema_that_stands_alone_is_taken(schema: dict[str, Any]) -> None:
    assert fault_of(schema) is None


@pytest.mark.parametrize(
    ("schema", "reason"),
    [
        ({"type": "number of teeth"}, "at type"),
        ({"properties": {"a": {"minimum": "1"}}}, "at properties/a/minimum"),
        ({"pattern": "("}, "at pattern"),
        ({"pattern": "(a{1000}){1000}"}, "at pattern"),
        ({"$ref": "#/$defs/nowhere"}, "nowhere"),
        ({"$ref": "file:///etc/passwd"}, "only refer to its own parts (#/…)"),
        ({"$ref": "http://169.254.169.254/latest"}, "only refer to its own parts (#/…)"),
        ({"items": {"$ref": "https://example.com/schema.json#/a"}}, "only refer to"),
        ({"$id": "https://example.com/", "$ref": "other"}, "only refer to"),
        ({"$dynamicRef": "http://example.com/x#y"}, "only refer to"),
        ({"$schema": "http://example.com/own-dialect"}, "published draft"),
        ({"$schema": 7}, "published draft"),
        ({"$ref": "http://[#a"}, "not a URL: 'http://[#a'"),
        ({"$id": "http://[#"}, "not a URL: 'http://[#'"),
        ({"anyOf": [{}], "$ref": "#/anyOf/" + "9" * 5000}, "is not a valid JSON Schema"),
        ({"description": "x" * MAX_BYTES}, "bytes"),
        (doubled(20), "references after each `$ref` is replaced"),
        (
            {"properties": {str(n): {"pattern": f"[\\p{{L}}]{{200}}{n}"} for n in range(300)}},
            "too much time or memory",
        ),
    ],
)
def test_anything_else_is_refused_with_the_reason(schema: dict[str, Any], reason: str) -> None:
    fault = fault_of(schema)
    assert fault is not None
    assert reason in fault


def test_no_reference_is_fetched(tmp_path: Path) -> None:
    """A file that would make the schema valid is not read."""
    other = tmp_path / "other.json"
    other.write_text('{"type": "string"}')
    fault = fault_of({"$ref": other.as_uri()})
    assert fault is not None
    assert "may only refer to its own parts (#/…)" in fault
