"""Whether a model's arguments are JSON, and fit the schema of a tool."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic_core import from_json

from contracts.tool_bindings import NO_ARGUMENTS
from schema_sandbox.sandbox import SchemaTooCostly, schema_sandbox

NOT_JSON = "they hold a number that JSON does not have, half of a character or too many levels"


def are_json(arguments: Mapping[str, Any]) -> bool:
    """Whether everybody can read them: they hold no infinite numbers and no halves of surrogate
    pairs, and at most 200 levels. The engine mends a model's broken JSON with ``json_repair``,
    which lets these pass."""
    try:
        from_json(json.dumps(arguments, allow_nan=False, ensure_ascii=False).encode())
    except (ValueError, RecursionError):
        return False
    return True


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
