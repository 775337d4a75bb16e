from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from control_plane.platform.language_model.strict_schema import strict_schema


class Item(BaseModel):
    title: Annotated[str, Field(max_length=10)]
    note: str = ""


class Shape(BaseModel):
    items: Annotated[list[Item], Field(min_length=1, max_length=3)]
    best: Item | None = None


def test_every_property_is_required_and_no_other_is_allowed() -> None:
    assert strict_schema(Shape) == {
        "type": "object",
        "properties": {
            "items": {"type": "array", "items": {"$ref": "#/$defs/Item"}},
            "best": {"anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}]},
        },
        "required": ["items", "best"],
        "additionalProperties": False,
        "$defs": {
            "Item": {
                "type": "object",
                "properties": {"title": {"type": "string"}, "note": {"type": "string"}},
                "required": ["title", "note"],
                "additionalProperties": False,
            }
        },
    }
