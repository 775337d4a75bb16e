"""Every row of the table "Agents" under Errors in the API specification, but those of generate."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest

from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient
from tests.control_plane.owned_books import change_books

CREATING = ["/v1/agents", "/v1/agents/draft", "/v1/agents/{agent_id}/clone"]


async def use_up_credit(tenant: TenantClient, database: Database) -> None:
    await change_books(
        database,
        "UPDATE billing_accounts SET free_micros = 0, purchased_micros = 0"
        " WHERE tenant_id = :tenant_id",
        tenant_id=tenant.tenant_id,
    )


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/v1/agents"),
        ("GET", "/v1/agents/{id}"),
        ("PUT", "/v1/agents/{id}"),
        ("PATCH", "/v1/agents/{id}"),
        ("DELETE", "/v1/agents/{id}"),
    ],
)
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer sb_secret_wrong"}])
async def test_list_get_update_and_delete_without_a_valid_key_are_401(
    http: httpx2.AsyncClient, method: str, path: str, headers: dict[str, str]
) -> None:
    answer = await http.request(method, path.format(id=uuid4()), headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (401, "unauthorized")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "Desk", "agent_kind": "robot"}, "agent_kind"),
        ({"name": "Desk", "agent_kind": "managed"}, "managed_sku_id"),
        ({"name": "Desk", "agent_kind": "managed", "managed_sku_id": "none"}, "managed_sku_id"),
        ({"name": "Desk", "managed_sku_id": "starter"}, "managed_sku_id"),
        ({"name": "Desk", "language": "xx-QQ"}, "language"),
        ({"name": "Desk", "supported_languages": ["en-US", "tlh"]}, "supported_languages"),
        ({"name": "Desk", "supported_languages": ["en-US", "nope!"]}, "supported_languages[1]"),
        ({"name": "Desk", "tools": [{"type": "call_webhook"}]}, "tools[0].name"),
        ({"name": "Desk", "colour": "red"}, "colour"),
    ],
)
async def test_create_with_a_wrong_field_is_400(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    answer = await tenant.post("/v1/agents", body)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == field
    assert (await tenant.get("/v1/agents")).json()["total"] == 0


@pytest.mark.parametrize("path", CREATING)
async def test_create_without_credit_is_402(
    tenant: TenantClient, database: Database, path: str
) -> None:
    address = path.format(agent_id=await tenant.agent())
    await use_up_credit(tenant, database)
    answer = await tenant.post(address, {"name": "Desk"})
    assert (answer.status_code, answer.json()["code"]) == (402, "insufficient_credits")


async def test_what_exists_can_be_changed_without_credit(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    await use_up_credit(tenant, database)
    answer = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"name": "Desk"})
    assert answer.status_code == 200


@pytest.mark.parametrize("method", ["PUT", "PATCH"])
@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"name": None}, "name"),
        ({"voice": None}, "voice"),
        ({"supported_languages": None}, "supported_languages"),
        ({"advanced": {"maxCallDuration": None}}, "advanced.maxCallDuration"),
        ({"features": {"recording_enabled": "often"}}, "features.recording_enabled"),
        ({"agent_kind": "managed"}, "managed_sku_id"),
        ({"persona": {"company_name": "x"}}, "persona.company_name"),
        ({"tools": [{"type": "end_call"}, {"type": "shell"}]}, "tools[1]"),
        ([], "body"),
    ],
)
async def test_update_with_a_wrong_field_is_400(
    tenant: TenantClient, method: str, changes: Any, field: str
) -> None:
    agent_id = await tenant.agent()
    before = await tenant.get(f"/v1/agents/{agent_id}")
    answer = await tenant.request(method, f"/v1/agents/{agent_id}", json=changes)
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == field
    assert (await tenant.get(f"/v1/agents/{agent_id}")).text == before.text


@pytest.mark.parametrize("method", ["GET", "PUT", "PATCH", "DELETE"])
async def test_get_update_and_delete_of_no_agent_of_the_tenant_are_404(
    tenant: TenantClient, other_tenant: TenantClient, method: str
) -> None:
    foreign = await other_tenant.agent()
    deleted = await tenant.agent()
    await tenant.request("DELETE", f"/v1/agents/{deleted}")
    for agent_id in (foreign, deleted, uuid4()):
        body = {"json": {}} if method in ("PUT", "PATCH") else {}
        answer = await tenant.request(method, f"/v1/agents/{agent_id}", **body)
        assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")
    assert (await other_tenant.get(f"/v1/agents/{foreign}")).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("POST", "clone"), ("GET", "calls")])
async def test_clone_and_calls_of_another_tenants_agent_are_403_and_of_none_404(
    tenant: TenantClient, other_tenant: TenantClient, method: str, path: str
) -> None:
    async def status_of(agent_id: UUID) -> tuple[int, str]:
        answer = await tenant.request(method, f"/v1/agents/{agent_id}/{path}")
        return answer.status_code, answer.json()["code"]

    foreign = await other_tenant.agent()
    assert await status_of(foreign) == (403, "agent_of_another_tenant")
    assert await status_of(uuid4()) == (404, "agent_not_found")
    await other_tenant.request("DELETE", f"/v1/agents/{foreign}")
    assert await status_of(foreign) == (404, "agent_not_found")
    assert (await tenant.get("/v1/agents")).json()["total"] == 0


async def test_a_publishable_key_does_not_list_calls(tenant: TenantClient) -> None:
    headers = await tenant.publishable_key()
    path = f"/v1/agents/{await tenant.agent()}/calls"
    answer = await tenant.http.get(path, headers=headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "secret_key_required")
