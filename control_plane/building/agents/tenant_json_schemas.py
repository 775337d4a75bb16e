"""JSON Schemas that tenants write: for tool arguments and for the data extracted from a call."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from contracts.agent_config import AgentConfig, PostCall
from contracts.tool_bindings import CallWebhook
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.json_schemas.checking import first_fault
from control_plane.platform.json_schemas.sandbox import (
    MOST_OF_TENANT,
    SandboxBusy,
    schema_sandbox,
)
from control_plane.platform.rate_limits.errors import RateLimited

_RETRY_SECONDS = 2


async def check_schemas(config: AgentConfig, tenant_id: UUID) -> None:
    """Check every schema in ``config``, off the event loop.

    Raises:
        InvalidRequest: a schema is not valid, refers to another document, or is too large.
        RateLimited: the tenant, or all tenants together, have too many schemas checked right now.
    """
    parameters = {
        f"tools[{index}].parameters": tool.parameters
        for index, tool in enumerate(config.tools)
        if isinstance(tool, CallWebhook)
    }
    await _check(_extraction(config.post_call) | parameters, tenant_id)
    for field, schema in parameters.items():
        if schema.get("type") != "object":
            raise InvalidRequest.at(
                field, 'must describe an object, such as {"type": "object", "properties": {…}}'
            )


async def check_extraction_schema(post_call: PostCall, tenant_id: UUID) -> None:
    """Check the schema of the data extracted from a call.

    Raises:
        InvalidRequest, RateLimited: see ``check_schemas``.
    """
    await _check(_extraction(post_call), tenant_id)


def _extraction(post_call: PostCall) -> dict[str, dict[str, Any]]:
    schema = post_call.structured_extraction.json_schema
    return {} if schema is None else {"post_call.structured_extraction.json_schema": schema}


async def _check(schemas: Mapping[str, dict[str, Any]], tenant_id: UUID) -> None:
    if not schemas:
        return
    sandbox = schema_sandbox()
    try:
        fault = await sandbox.run(tenant_id, partial(first_fault, schemas, sandbox))
    except SandboxBusy:
        raise RateLimited(
            "Too many JSON Schemas are being checked; try again shortly",
            headers={"Retry-After": str(_RETRY_SECONDS)},
            policy="schemas",
            limit=MOST_OF_TENANT,
            used=MOST_OF_TENANT,
        ) from None
    if fault is not None:
        raise InvalidRequest.at(*fault)
