"""Schemas of arguments as the providers of language models take them. Pure.

A provider refuses the whole request for one tool that it does not like, so a server could make an
agent mute. Neither OpenAI nor Anthropic publishes these rules; their answers (HTTP 400) name them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_NOT_AT_THE_TOP = ("oneOf", "anyOf", "allOf", "enum", "const", "not")
"""OpenAI: "schema must have type 'object' and not have 'oneOf'/… at the top level"."""
_PROPERTY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""Anthropic: "Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'", at the top."""
_VALUES = frozenset({"const", "default", "enum", "example", "examples"})
"""Keywords that hold values and not schemas."""
_LONGEST_SHOWN = 100


def fault_of_arguments(schema: Mapping[str, Any]) -> str | None:
    """Why no model can be given ``schema``, as the end of a sentence."""
    if schema.get("type") != "object":
        return "does not describe an object"
    for keyword in _NOT_AT_THE_TOP:
        if keyword in schema:
            return f"has `{keyword}` at its top"
    properties = schema.get("properties", {})
    for name in properties if isinstance(properties, dict) else ():
        if not _PROPERTY.fullmatch(name):
            return f"has the property '{name[:_LONGEST_SHOWN]}', which is no name for all models"
    return None


def as_shown(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a model is shown of ``schema``: OpenAI wants ``properties`` at the top and ``items`` in
    each array, and Google knows no ``$schema``."""
    shown = {name: value for name, value in schema.items() if name != "$schema"}
    return {"properties": {}} | _with_items(shown)


def _with_items(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type")
    is_array = kind == "array" or (isinstance(kind, list) and "array" in kind)
    completed = {
        name: value if name in _VALUES else _completed(value) for name, value in schema.items()
    }
    if is_array and "items" not in schema and "prefixItems" not in schema:
        completed["items"] = {}
    return completed


def _completed(value: Any) -> Any:
    if isinstance(value, dict):
        return _with_items(value)
    if isinstance(value, list):
        return [_completed(each) for each in value]
    return value
