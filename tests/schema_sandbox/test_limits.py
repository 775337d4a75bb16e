"""A schema is limited as it is after its references are replaced."""

from __future__ import annotations

from typing import Any

import pytest

from schema_sandbox.limits import MAX_DEPTH, MAX_NODES, fault_of_size

ADDRESS = {"type": "object", "properties": {"city": {"type": "string"}}}


def nested(depth: int) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for _ in range(depth - 1):
        schema = {"not": schema}
    return schema


def fanned_out(by: int, times: int, reference: str, **definition: Any) -> dict[str, Any]:
    """``times`` definitions in a row, each of which names the next one ``by`` times."""
    definitions = {
        f"d{n}": {"anyOf": [{"$ref": reference.format(n + 1)}] * by}
        | {name: value.format(n) for name, value in definition.items()}
        for n in range(times)
    }
    return {"$ref": reference.format(0), "$defs": definitions | {f"d{times}": {}}}


@pytest.mark.parametrize(
    "schema",
    [
        {"properties": {f"address_{n}": {"$ref": "#/$defs/a"} for n in range(500)},
         "$defs": {"a": ADDRESS}},
        {"properties": {"child": {"$ref": "#"}, "next": {"$ref": "#"}}},
        {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/b"}},
                                        "b": {"items": {"$ref": "#/$defs/a"}}}},
        {"properties": {"$ref": {"type": "string"}, "$id": {"type": "string"}}},
        {"const": {"$ref": 7}},
        {"$ref": "#/no/where"},
        nested(MAX_DEPTH),
    ],
)  # fmt: skip
def test_what_people_write_is_taken(schema: dict[str, Any]) -> None:
    assert fault_of_size(schema) is None


@pytest.mark.parametrize(
    "schema",
    [
        fanned_out(2, 20, "#/$defs/d{}"),
        fanned_out(2, 20, "#/%24defs/d{}"),
        fanned_out(2, 20, "#n{}", **{"$anchor": "n{}"}),
        fanned_out(2, 20, "#n{}", **{"$dynamicAnchor": "n{}"}),
        fanned_out(2, 20, "https://here.example/{}", **{"$id": "https://here.example/{}"}),
        fanned_out(2, 20, "{}.json", **{"$id": "{}.json"}),
        fanned_out(1, 300, "#/$defs/d{}"),
        fanned_out(40, 3, "#/$defs/d{}"),
        nested(MAX_DEPTH + 1),
        nested(900),
        {"anyOf": [{}] * MAX_NODES},
        {"properties": {str(n): {"$ref": "#/$defs/a"} for n in range(900)},
         "$defs": {"a": {"anyOf": [{}] * 20}}},
    ],
)  # fmt: skip
def test_what_grows_when_it_is_applied_is_refused(schema: dict[str, Any]) -> None:
    fault = fault_of_size(schema)
    assert fault is not None
    assert "must have at most" in fault
