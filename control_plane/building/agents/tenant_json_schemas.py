"""JSON Schemas that tenants write: for tool arguments and for the data extracted from a call."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from typing import Any, NoReturn

import jsonschema_rs

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import CallWebhook
from control_plane.platform.errors import InvalidRequest

MAX_BYTES = 32_768
_DRAFTS = (
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema",
    "http://json-schema.org/draft-06/schema",
    "http://json-schema.org/draft-04/schema",
)


async def check_schemas(config: AgentConfig) -> None:
    """Compile every schema in ``config``, off the event loop.

    Raises:
        InvalidRequest: a schema is not valid, refers to another document, or is too large.
    """
    schemas = list(_schemas_of(config))
    if schemas:
        await asyncio.to_thread(_check_all, schemas)


def _schemas_of(config: AgentConfig) -> Iterator[tuple[str, dict[str, Any]]]:
    wanted = config.post_call.structured_extraction.json_schema
    if wanted is not None:
        yield "post_call.structured_extraction.json_schema", wanted
    for index, tool in enumerate(config.tools):
        if isinstance(tool, CallWebhook):
            yield f"tools[{index}].parameters", tool.parameters


def _check_all(schemas: list[tuple[str, dict[str, Any]]]) -> None:
    for field, schema in schemas:
        if (fault := fault_of(schema)) is not None:
            raise InvalidRequest.at(field, fault)
        if field.endswith(".parameters") and schema.get("type") != "object":
            raise InvalidRequest.at(
                field, 'must describe an object, such as {"type": "object", "properties": {…}}'
            )


def fault_of(schema: dict[str, Any]) -> str | None:
    """What is wrong with ``schema``; ``None`` if it is valid. Opens no file and no connection."""
    if len(json.dumps(schema, ensure_ascii=False).encode()) > MAX_BYTES:
        return f"must have at most {MAX_BYTES} bytes"
    declared = schema.get("$schema")
    if declared is not None and (
        not isinstance(declared, str) or declared.rstrip("#") not in _DRAFTS
    ):
        return "has a `$schema` that is not a published draft of JSON Schema (4 to 2020-12)"
    try:
        jsonschema_rs.validator_for(schema, retriever=_refuse)
    except jsonschema_rs.ValidationError as error:
        reason, is_elsewhere, _ = error.message.partition(" and retrieving it failed")
        if is_elsewhere:
            return f"may only refer to its own parts (#/…): {reason[:300]}"
        where = "/".join(map(str, error.instance_path))
        return f"is not a valid JSON Schema{f' at {where}' if where else ''}: {reason[:300]}"
    except (jsonschema_rs.ReferencingError, ValueError) as error:
        return f"is not a valid JSON Schema: {str(error)[:300]}"
    return None


def _refuse(uri: str) -> NoReturn:
    raise ValueError(uri)
