"""Addresses that an agent names: whose they may be, and where they may lead."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from control_plane.platform.database import Database
from control_plane.platform.tenancy.models import Tenant
from tests.control_plane.conftest import TenantClient

CUSTOM = ("custom_llm_url", "custom_voice_url", "custom_transcriber_url")
PRIVATE = ("127.0.0.1", "10.0.0.8", "169.254.169.254", "[::1]", "0x7f.1", "localhost", "a.internal")


async def make_enterprise(tenant: TenantClient, database: Database) -> None:
    async with database.system_session() as session:
        await session.execute(
            update(Tenant).where(Tenant.id == tenant.tenant_id).values(tier="enterprise")
        )


async def refused_field(tenant: TenantClient, agent_id: UUID, changes: dict[str, Any]) -> str:
    for answer in (
        await tenant.post("/v1/agents", {"name": "Desk"} | changes),
        await tenant.request("PATCH", f"/v1/agents/{agent_id}", json=changes),
    ):
        assert (answer.status_code, answer.json()["code"]) == (400, "invalid_request")
    return str(answer.json()["errors"][0]["field"])


async def test_own_endpoints_are_for_the_enterprise_tier(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.agent()
    for name in CUSTOM:
        assert await refused_field(tenant, agent_id, {name: "https://8.8.8.8/v1"}) == name
    path = f"/v1/agents/{agent_id}"
    cleared = await tenant.request("PATCH", path, json=dict.fromkeys(CUSTOM))
    assert cleared.status_code == 200

    await make_enterprise(tenant, database)
    urls = dict(
        zip(CUSTOM, ("https://8.8.8.8/v1", "wss://8.8.8.8/s", "wss://8.8.4.4/t"), strict=True)
    )
    assert (await tenant.request("PATCH", path, json=urls)).status_code == 200
    agent = (await tenant.get(path)).json()
    assert {name: agent[name] for name in CUSTOM} == urls
    await tenant.request("PATCH", path, json={"custom_voice_url": None})
    assert (await tenant.get(path)).json()["custom_voice_url"] is None


@pytest.mark.parametrize("name", CUSTOM)
async def test_own_endpoints_are_public_and_encrypted(
    tenant: TenantClient, database: Database, name: str
) -> None:
    await make_enterprise(tenant, database)
    agent_id = await tenant.agent()
    for url in (
        *(f"https://{host}/v1" for host in PRIVATE),
        *("http://8.8.8.8/", "ws://8.8.8.8/", "ftp://8.8.8.8/", "https://a:b@8.8.8.8/", "", "x"),
    ):
        assert await refused_field(tenant, agent_id, {name: url}) == name, url


@pytest.mark.parametrize("kind", ["call_webhook", "mcp"])
async def test_tools_call_public_servers_only(tenant: TenantClient, kind: str) -> None:
    agent_id = await tenant.agent()
    for host in (*PRIVATE, "user@8.8.8.8"):
        tool = {"type": kind, "name": "a", "description": "b", "url": f"https://{host}/"}
        changes = {"tools": [{"type": "end_call"}, tool]}
        assert await refused_field(tenant, agent_id, changes) == "tools[1].url", host


async def test_calls_are_transferred_to_public_servers_only(tenant: TenantClient) -> None:
    agent_id = await tenant.agent()
    for to in ("sip:desk@10.0.0.8", "sips:desk@localhost", "sip:169.254.169.254:5060"):
        tool = {"type": "transfer", "name": "a", "description": "b", "to": to}
        assert await refused_field(tenant, agent_id, {"tools": [tool]}) == "tools[0].to", to
