"""Corrections to the OpenAPI document that FastAPI generates. They change the document in place."""

from __future__ import annotations

import json
import re
from typing import Any

_SCHEMA = re.compile(r'"#/components/schemas/([^"]+)"')
_ABBREVIATIONS = {
    "Api": "API",
    "Csv": "CSV",
    "Ice": "ICE",
    "Llm": "LLM",
    "Sku": "SKU",
    "Skus": "SKUs",
}


def write_summaries_as_sentences(document: dict[str, Any]) -> None:
    """Make "Create Api Key" of a function's name into "Create API key"."""
    for operations in document["paths"].values():
        for operation in operations.values():
            first, *others = operation["summary"].split(" ")
            words = [_ABBREVIATIONS.get(word, word.lower()) for word in others]
            operation["summary"] = " ".join([_ABBREVIATIONS.get(first, first), *words])


def restore_nulls(document: dict[str, Any]) -> None:
    """Put required fields that are null back into the examples of schemas. The generator drops
    every ``None``."""
    schemas = document["components"]["schemas"]
    for schema in schemas.values():
        _restore(schema.get("example"), schema, schemas)


def drop_unused_schemas(document: dict[str, Any]) -> None:
    """Remove schemas that nothing refers to, such as base classes of models."""
    schemas = document["components"]["schemas"]
    while unused := schemas.keys() - set(_SCHEMA.findall(json.dumps(document))):
        for name in unused:
            del schemas[name]


def _restore(example: Any, schema: dict[str, Any], schemas: dict[str, Any]) -> None:
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    schema = schemas.get(name, schema)
    for option in schema.get("anyOf", ()):
        _restore(example, option, schemas)
    if isinstance(example, list):
        for item in example:
            _restore(item, schema.get("items", {}), schemas)
    if isinstance(example, dict):
        properties = schema.get("properties", {})
        for field in schema.get("required", ()):
            if _may_be_null(properties.get(field, {})):
                example.setdefault(field, None)
        for field in example.keys() & properties.keys():
            _restore(example[field], properties[field], schemas)


def _may_be_null(schema: dict[str, Any]) -> bool:
    return {"type": "null"} in schema.get("anyOf", ()) or schema.get("type") == "null"
