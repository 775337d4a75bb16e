"""Whether a model's arguments fit the schema of a tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from contracts.tool_bindings import NO_ARGUMENTS
from schema_sandbox.sandbox import SchemaTooCostly, schema_sandbox


async def fault_of_arguments(arguments: Mapping[str, Any], schema: Mapping[str, Any]) -> str | None:
    """What is wrong with the arguments, for the model to mend."""
    if schema == NO_ARGUMENTS:
        return None
    sandbox = schema_sandbox()
    try:
        found = await sandbox.run(lambda: sandbox.findings(schema, dict(arguments)))
    except SchemaTooCostly as error:
        return f"their schema {error}"
    return "; ".join(found.sentences) or None
