"""Stopping every new call, and where that stands among the checks of ``POST /v1/calls``."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from fastapi import FastAPI
from sqlalchemy import text

from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.conversation import CALLER, create_call
from tests.control_plane.operator.conftest import OperatorClient
from tests.control_plane.owned_books import change_books

PATH = "/platform"


async def test_calls_are_enabled_from_the_start(operator: OperatorClient) -> None:
    shown = await operator.ok("GET", PATH)
    assert (shown["calls_enabled"], shown["message"]) == (True, None)


async def test_stopped_calls_are_503_with_the_operators_message_until_allowed_again(
    operator: OperatorClient, tenant: TenantClient
) -> None:
    agent_id = await tenant.published_agent()
    running = await create_call(tenant, agent_id)
    stopped = {"calls_enabled": False, "message": "Maintenance until 18:00 UTC."}
    shown = await operator.ok("PUT", PATH, stopped)
    assert shown == await operator.ok("GET", PATH)
    assert {key: shown[key] for key in stopped} == stopped

    wanted = {"agent_id": str(agent_id), "participants": [CALLER]}
    refused = await tenant.post("/v1/calls", wanted)
    assert refused.status_code == 503
    assert int(refused.headers["Retry-After"]) > 0
    assert refused.json()["code"] == "platform_calls_disabled"
    assert refused.json()["detail"] == "Maintenance until 18:00 UTC."
    assert (await tenant.get(f"/v1/calls/{running['id']}")).json()["status"] == "connecting"

    await operator.ok("PUT", PATH, {"calls_enabled": False})
    refused = await tenant.post("/v1/calls", wanted)
    assert refused.json()["detail"] == "Calls are disabled platform-wide"

    await operator.ok("PUT", PATH, {"calls_enabled": True})
    assert (await tenant.post("/v1/calls", wanted)).status_code == 201


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "calls_enabled"),
        ({"calls_enabled": "perhaps"}, "calls_enabled"),
        ({"calls_enabled": None}, "calls_enabled"),
        ({"calls_enabled": True, "message": ""}, "message"),
        ({"calls_enabled": True, "message": "x" * 501}, "message"),
    ],
)
async def test_a_wrong_switch_is_400(
    operator: OperatorClient, body: dict[str, Any], field: str
) -> None:
    answer = await operator.request("PUT", PATH, body)
    assert answer.status_code == 400, answer.text
    assert answer.json()["errors"][0]["field"] == field


async def test_a_call_that_is_wrong_in_every_way_is_refused_in_the_documented_order(
    operator: OperatorClient,
    tenant: TenantClient,
    database: Database,
    app: FastAPI,
    settings: ControlPlaneSettings,
) -> None:
    """Everything is wrong at first; each step mends what was refused and meets the next."""
    agent_id = await tenant.agent()
    deleted = await tenant.agent()
    phone_only = await tenant.publishable_key(
        allowed_channels=["phone"], phone_agent_id=str(deleted)
    )
    for each in (agent_id, deleted):
        await operator.ok("POST", f"/agents/{each}/pause", {"reason": "x"})
    await operator.ok("PUT", PATH, {"calls_enabled": False})
    await _execute(database, "UPDATE agents SET deleted_at = now() WHERE id = :id", id=deleted)
    await change_books(
        database,
        "UPDATE billing_accounts SET held_micros = free_micros WHERE tenant_id = :tenant_id",
        tenant_id=tenant.tenant_id,
    )

    async def status(
        agent: UUID = agent_id,
        headers: dict[str, str] = tenant.headers,
        participants: tuple[Any, ...] = (CALLER,),
    ) -> int:
        body = {"agent_id": str(agent), "participants": participants}
        answer = await tenant.http.post("/v1/calls", headers=headers, json=body)
        return answer.status_code

    assert await status(deleted, {}, ()) == 401
    assert await status(deleted, phone_only, ()) == 400
    assert await status(deleted, phone_only) == 403
    assert await status(deleted) == 503
    await operator.ok("PUT", PATH, {"calls_enabled": True})
    assert await status(deleted) == 404
    assert await status(uuid4()) == 404
    assert await status() == 423
    await operator.ok("DELETE", f"/agents/{agent_id}/pause")
    assert await status() == 409
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    app.state.settings = settings.model_copy(update={"offline_models": False})
    assert await status() == 422
    app.state.settings = settings
    assert await status() == 402
    await operator.ok(
        "POST", f"/tenants/{tenant.tenant_id}/credits", {"amount_usd": 5, "description": "x"}
    )
    assert await status() == 201


async def _execute(database: Database, statement: str, **values: object) -> None:
    async with database.system_session() as session:
        await session.execute(text(statement), values)
