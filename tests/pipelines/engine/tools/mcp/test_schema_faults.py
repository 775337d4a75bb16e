"""Schemas of one server share a limit, so that they delay no other call's arguments for long."""

from __future__ import annotations

from pipelines.engine.tools.mcp.schema_faults import faults_of_schemas
from schema_sandbox.sandbox import schema_sandbox

GOOD = {"type": "object", "properties": {"a": {"type": "string"}}}
COSTLY = {
    "type": "object",
    "properties": {str(n): {"pattern": f"[\\p{{L}}]{{200}}{n}"} for n in range(300)},
}


def test_each_fault_stands_at_its_schema() -> None:
    schemas = [GOOD, {"type": "string"}, GOOD | {"minProperties": "1"}, GOOD]
    first, not_an_object, invalid, last = faults_of_schemas(schemas, schema_sandbox())
    assert first is None
    assert last is None
    assert not_an_object == "does not describe an object"
    assert invalid is not None
    assert "at minProperties" in invalid


def test_schemas_that_cost_too_much_together_cannot_be_used() -> None:
    good, costly, refused = faults_of_schemas([GOOD, COSTLY, {}], schema_sandbox())
    assert good == costly
    assert good is not None
    assert "too much time or memory" in good
    assert refused == "does not describe an object"


def test_no_schemas_have_no_faults() -> None:
    assert faults_of_schemas([], schema_sandbox()) == []
