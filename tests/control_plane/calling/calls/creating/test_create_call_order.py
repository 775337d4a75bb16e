"""The checks of ``POST /v1/calls`` come in one order: everything is wrong, and is put right one by
one."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from fastapi import FastAPI

from control_plane.calling.numbers.models import Number
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.calls.creating.test_create_call_errors import empty_account
from tests.control_plane.calling.dialing.phone import CALLEE, DIALING, OWN_NUMBER
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.control_plane.owned_books import change_books
from tests.stand_ins.simulated_carrier import NAME


async def test_the_checks_come_in_the_documented_order(
    tenant: TenantClient, app: FastAPI, database: Database, settings: ControlPlaneSettings
) -> None:
    http = tenant.http
    agent_id = await tenant.agent()
    await tenant.post("/v1/do-not-call", {"number": CALLEE})
    key = {"name": "Page", "kind": "publishable", "allowed_origins": ["https://page.example"]}
    page = (await tenant.post("/v1/api-keys", key)).json()
    pause = f"/v1/operator/agents/{agent_id}/pause"
    switch = "/v1/operator/platform"
    headers = {"Origin": "https://else.example"}
    await empty_account(database, tenant)
    app.state.settings = settings.model_copy(update={"offline_models": False})

    wanted: dict[str, Any] = {"agent_id": str(uuid4()), "participants": []}

    async def refused() -> tuple[int, str]:
        answer = await http.post("/v1/calls", headers=headers, json=wanted)
        return answer.status_code, answer.json()["code"]

    assert await refused() == (401, "unauthorized")
    headers["Authorization"] = f"Bearer {page['key']}"
    assert await refused() == (403, "origin_not_allowed")
    headers["Origin"] = "https://page.example"
    assert await refused() == (400, "invalid_request")
    wanted["participants"] = [{"transport": "pstn", "identity": CALLEE}]
    assert await refused() == (403, "key_scope_violation")
    headers["Authorization"] = tenant.headers["Authorization"]
    assert await refused() == (400, "do_not_call")
    await tenant.request("DELETE", f"/v1/do-not-call/{CALLEE}")
    assert await refused() == (400, "invalid_request")
    app.state.settings = app.state.settings.model_copy(update={"dialing": DIALING})
    async with database.system_session() as session:
        session.add(Number(tenant_id=tenant.tenant_id, number=OWN_NUMBER, carrier=NAME))
    stopped = await http.put(switch, headers=OPERATOR, json={"calls_enabled": False})
    assert stopped.status_code == 200, stopped.text
    assert await refused() == (503, "platform_calls_disabled")
    await http.put(switch, headers=OPERATOR, json={"calls_enabled": True})
    assert await refused() == (404, "agent_not_found")
    wanted["agent_id"] = str(agent_id)
    paused = await http.post(pause, headers=OPERATOR, json={"reason": "Too loud"})
    assert paused.status_code == 200, paused.text
    assert await refused() == (423, "agent_admin_paused")
    await http.delete(pause, headers=OPERATOR)
    assert await refused() == (409, "agent_not_publish_ready")
    app.state.settings = app.state.settings.model_copy(update={"offline_models": True})
    assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 200
    app.state.settings = app.state.settings.model_copy(update={"offline_models": False})
    assert await refused() == (422, "provider_key_unavailable")
    app.state.settings = app.state.settings.model_copy(update={"offline_models": True})
    assert await refused() == (402, "insufficient_credits")
    await change_books(database, "UPDATE billing_accounts SET held_micros = 0")
    answer = await http.post("/v1/calls", headers=headers, json=wanted)
    assert answer.status_code == 202, answer.text
