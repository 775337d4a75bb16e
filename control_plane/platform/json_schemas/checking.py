"""Checks tenants' JSON Schemas before they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from control_plane.platform.json_schemas.limits import fault_of_size
from schema_sandbox.sandbox import SchemaSandbox, SchemaTooCostly

_DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)


def first_fault(
    schemas: Mapping[str, Mapping[str, Any]], sandbox: SchemaSandbox
) -> tuple[str, str] | None:
    """The name of the first of ``schemas`` that cannot be used, and what is wrong with it, as the
    end of a sentence. Opens no file and no connection. It blocks.

    If they take too much time together, the first one is named with the number of the others.
    """
    for name, schema in schemas.items():
        if (fault := _fault_of_document(schema)) is not None:
            return name, fault
    try:
        faults = sandbox.faults_of(list(schemas.values()))
    except SchemaTooCostly as error:
        others = len(schemas) - 1
        together = f" (it was checked together with {others} more)" if others else ""
        return next(iter(schemas)), f"{error}{together}"
    named = zip(schemas, faults, strict=True)
    return next(((name, fault) for name, fault in named if fault is not None), None)


def _fault_of_document(schema: Mapping[str, Any]) -> str | None:
    declared = schema.get("$schema")
    if declared is not None and (
        not isinstance(declared, str) or declared.rstrip("#") not in _DRAFTS
    ):
        return "has a `$schema` that is not a published draft of JSON Schema (4 to 2020-12)"
    return fault_of_size(schema)
