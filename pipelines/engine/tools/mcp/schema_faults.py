"""What is wrong with the schemas of a server's tools. They are compiled in the sandbox."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pipelines.engine.tools.mcp.argument_schemas import fault_of_arguments
from schema_sandbox.documents import fault_of_document
from schema_sandbox.sandbox import SchemaSandbox, SchemaTooCostly


def faults_of_schemas(
    schemas: Sequence[Mapping[str, Any]], sandbox: SchemaSandbox
) -> list[str | None]:
    """For each of ``schemas`` the end of a sentence, or ``None`` if it can be used. It blocks.

    They share one limit of time and memory, so that one server does not keep the arguments of
    other calls waiting: if they exceed it together, none of them can be used.
    """
    faults = [fault_of_arguments(schema) or fault_of_document(schema) for schema in schemas]
    fine = [schema for schema, fault in zip(schemas, faults, strict=True) if fault is None]
    try:
        compiled = sandbox.faults_of(fine) if fine else []
    except SchemaTooCostly as error:
        compiled = [f"{error} (checked together with the server's other tools)"] * len(fine)
    rest = iter(compiled)
    return [next(rest) if fault is None else fault for fault in faults]
