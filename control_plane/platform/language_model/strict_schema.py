"""JSON Schemas in the subset that providers enforce ("structured outputs"). Pure.

Source: OpenAI, "Structured model outputs", "Supported schemas".
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

_LEFT_OUT = frozenset({"title", "default", "maxLength", "minLength", "maxItems", "minItems"})


def strict_schema(shape: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema of ``shape``: every property is required and no other is allowed.

    Titles, defaults and bounds on length are left out. Check the bounds when reading the answer.
    """
    schema: dict[str, Any] = _strict(shape.model_json_schema())
    return schema


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if node.get("type") == "object" and "properties" in node:
        properties = {name: _strict(below) for name, below in node["properties"].items()}
        return {key: _strict(value) for key, value in node.items() if key not in _LEFT_OUT} | {
            "properties": properties,
            "required": list(properties),
            "additionalProperties": False,
        }
    return {
        key: {name: _strict(below) for name, below in value.items()}
        if key == "$defs"
        else _strict(value)
        for key, value in node.items()
        if key not in _LEFT_OUT
    }
