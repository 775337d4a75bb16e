"""Checks tenants' JSON Schemas before they are saved."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schema_sandbox.documents import fault_of_document
from schema_sandbox.sandbox import SchemaSandbox, SchemaTooCostly


def first_fault(
    schemas: Mapping[str, Mapping[str, Any]], sandbox: SchemaSandbox
) -> tuple[str, str] | None:
    """The name of the first of ``schemas`` that cannot be used, and what is wrong with it, as the
    end of a sentence. Opens no file and no connection. It blocks.

    If they take too much time together, the first one is named with the number of the others.
    """
    for name, schema in schemas.items():
        if (fault := fault_of_document(schema)) is not None:
            return name, fault
    try:
        faults = sandbox.faults_of(list(schemas.values()))
    except SchemaTooCostly as error:
        others = len(schemas) - 1
        together = f" (it was checked together with {others} more)" if others else ""
        return next(iter(schemas)), f"{error}{together}"
    named = zip(schemas, faults, strict=True)
    return next(((name, fault) for name, fault in named if fault is not None), None)
