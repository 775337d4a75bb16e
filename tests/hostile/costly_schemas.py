"""JSON Schemas that cost more than they seem to."""

from __future__ import annotations

import random
from typing import Any


def bomb(levels: int = 40) -> dict[str, Any]:
    """It doubles with each level."""
    definitions: dict[str, Any] = {f"d{levels}": {"type": "string"}}
    for level in range(levels):
        both = [{"$ref": f"#/$defs/d{level + 1}"}] * 2
        definitions[f"d{level}"] = {"anyOf": both}
    return {"type": "object", "$defs": definitions, "properties": {"x": {"$ref": "#/$defs/d0"}}}


def slow_to_compile() -> dict[str, Any]:
    """Small enough to be tried, and too slow to be compiled."""
    slow = {"type": "string", "pattern": "^(" + "a{0,900}" * 100 + "){0,900}$"}
    return {"type": "object", "properties": {"x": slow}}


def slow_to_apply(patterns: int = 50, names: int = 40) -> dict[str, Any]:
    """It is compiled at once. Whatever was found in a call, each pattern is tried on each name, and
    each gives up only after it was tried in a million ways: what refers back needs an engine that
    backtracks."""
    tried = [{"pattern": f"^(a|aa)+\\1b{{{number}}}$"} for number in range(1, patterns)]
    return {
        "type": "object",
        "required": ["a" * 60 + f"{'a' * number}" for number in range(names)],
        "propertyNames": {"anyOf": tried},
    }


def extracting(schema: dict[str, Any]) -> dict[str, Any]:
    """A call's or an agent's wish to have it applied, as one that was not seen before."""
    new = schema | {"description": str(random.random())}
    return {"post_call": {"structured_extraction": {"json_schema": new}}}
