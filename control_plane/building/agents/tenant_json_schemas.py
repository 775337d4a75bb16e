"""JSON Schemas that tenants write: for tool arguments and for the data extracted from a call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from contracts.agent_config import AgentConfig, PostCall
from contracts.tool_bindings import CallWebhook
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.json_schemas.checking import fault_of
from control_plane.platform.json_schemas.sandbox import schema_sandbox

_EXTRACTION = "post_call.structured_extraction.json_schema"


async def check_schemas(config: AgentConfig) -> None:
    """Check every schema in ``config``, off the event loop.

    Raises:
        InvalidRequest: a schema is not valid, refers to another document, or is too large.
    """
    await check_extraction_schema(config.post_call)
    for field, schema in _parameters_of(config):
        await _check(field, schema)
        if schema.get("type") != "object":
            raise InvalidRequest.at(
                field, 'must describe an object, such as {"type": "object", "properties": {…}}'
            )


async def check_extraction_schema(post_call: PostCall) -> None:
    """Check the schema of the data extracted from a call.

    Raises:
        InvalidRequest: see ``check_schemas``.
    """
    schema = post_call.structured_extraction.json_schema
    if schema is not None:
        await _check(_EXTRACTION, schema)


def _parameters_of(config: AgentConfig) -> Iterator[tuple[str, dict[str, Any]]]:
    for index, tool in enumerate(config.tools):
        if isinstance(tool, CallWebhook):
            yield f"tools[{index}].parameters", tool.parameters


async def _check(field: str, schema: dict[str, Any]) -> None:
    sandbox = schema_sandbox()
    fault = await sandbox.run(partial(fault_of, schema, sandbox))
    if fault is not None:
        raise InvalidRequest.at(field, fault)
