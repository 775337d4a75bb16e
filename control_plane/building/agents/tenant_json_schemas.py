"""JSON Schemas that tenants write: for tool arguments and for the data extracted from a call.

A check may have to wait for others, and takes up to two seconds. So a request's schemas are checked
before it takes a connection to the database: routes name ``SchemasChecked`` before their
session. What was found is remembered for a moment, and judged among the other checks.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request

from contracts.agent_config import AgentConfig, PostCall
from contracts.tool_bindings import MAX_TOOLS, CallWebhook
from control_plane.building.agents.documents import own_fields
from control_plane.identity.authentication.dependencies import AnyCaller
from control_plane.platform.errors import InvalidRequest
from control_plane.platform.json_schemas.checked_schemas import Fault, checked_schemas
from control_plane.platform.json_schemas.turns import NoTurn
from control_plane.platform.rate_limits.errors import RateLimited

_RETRY_SECONDS = 2
_EXTRACTION = "post_call.structured_extraction.json_schema"

Schemas = dict[str, dict[str, Any]]
"""By field."""


async def check_schemas(config: AgentConfig, tenant_id: UUID) -> None:
    """Check every schema in ``config``, off the event loop.

    Raises:
        InvalidRequest: a schema is not valid, refers to another document, or is too large.
        RateLimited: the tenant has too many schemas checked right now, or others take too long.
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


async def check_ahead(sent: Mapping[str, Any], tenant_id: UUID) -> None:
    """Check the schemas in a configuration, or in a part of one, before ``check_schemas`` does. Do
    it without a session.

    Args:
        sent: not validated yet. What is no schema is left to validation.

    Raises:
        RateLimited: see ``check_schemas``.
    """
    await _first_fault(_sent_schemas(sent), tenant_id)


async def _schemas_of_body(request: Request, caller: AnyCaller) -> None:
    # The body was read and parsed before (``storable_input``), and is not validated yet.
    sent = await request.json() if await request.body() else None
    # With a publishable key nothing is saved that has a schema.
    if isinstance(sent, dict) and caller.publishable is None:
        await check_ahead(sent, caller.tenant_id)


SchemasChecked = Annotated[None, Depends(_schemas_of_body)]
"""The body is an agent's configuration, or has a ``post_call`` as one has."""


def _sent_schemas(sent: Mapping[str, Any]) -> Schemas:
    try:
        fields = own_fields(sent)
    except InvalidRequest:
        return {}
    tools = fields.get("tools")
    found = {
        f"tools[{index}].parameters": tool.get("parameters")
        for index, tool in enumerate(tools[:MAX_TOOLS] if isinstance(tools, list) else ())
        if isinstance(tool, dict)
    }
    extraction: Any = fields
    for name in _EXTRACTION.split("."):
        extraction = extraction.get(name) if isinstance(extraction, Mapping) else None
    found[_EXTRACTION] = extraction
    return {field: schema for field, schema in found.items() if isinstance(schema, dict)}


def _extraction(post_call: PostCall) -> Schemas:
    schema = post_call.structured_extraction.json_schema
    return {} if schema is None else {_EXTRACTION: schema}


async def _check(schemas: Schemas, tenant_id: UUID) -> None:
    fault = await _first_fault(schemas, tenant_id)
    if fault is not None:
        raise InvalidRequest.at(*fault)


async def _first_fault(schemas: Schemas, tenant_id: UUID) -> Fault | None:
    if not schemas:
        return None
    try:
        return await checked_schemas().first_fault(tenant_id, schemas)
    except NoTurn as error:
        raise RateLimited(
            f"{error}; try again in {_RETRY_SECONDS} s",
            headers={"Retry-After": str(_RETRY_SECONDS)},
            policy=error.policy,
            limit=error.limit,
            used=error.used,
        ) from None
