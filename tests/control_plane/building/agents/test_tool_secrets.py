"""Headers of tools: sealed wherever they are written down, masked wherever they are read."""

from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, text

from contracts.tool_bindings import CallWebhook, SealedText
from control_plane.building.agents.documents import checked
from control_plane.building.agents.models import Agent, AgentVersion
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient

SECRET = "Bearer nightingale-4711"
MASK = "••••4711"
WEBHOOK: dict[str, Any] = {
    "type": "call_webhook",
    "name": "look_up",
    "description": "Look the order up.",
    "url": "https://api.example.com/orders",
    "headers": {"Authorization": SECRET},
}


async def tools_of(tenant: TenantClient, agent_id: UUID) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = (await tenant.get(f"/v1/agents/{agent_id}")).json()["tools"]
    return tools


async def stored_secret(
    database: Database, settings: ControlPlaneSettings, tenant: TenantClient, agent_id: UUID
) -> str:
    async with database.tenant_session(tenant.tenant_id) as session:
        agent = await session.get_one(Agent, agent_id)
    tool = checked(agent.config).tools[0]
    assert isinstance(tool, CallWebhook)
    value = tool.headers["Authorization"]
    assert isinstance(value, SealedText)
    return settings.sealer.open(value.sealed)


async def test_no_answer_row_or_plan_holds_the_secret(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.published_agent(tools=[WEBHOOK])
    call = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "Ann"}],
        },
    )
    copy = (await tenant.post(f"/v1/agents/{agent_id}/clone")).json()["id"]
    changed = WEBHOOK | {"headers": {"Authorization": "Basic b3duZXI6c2VzYW1l"}}
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"tools": [changed]})
    answers = [
        await tenant.get(path)
        for path in (
            f"/v1/agents/{agent_id}",
            f"/v1/agents/{copy}",
            f"/v1/agents/{agent_id}/versions",
            f"/v1/agents/{agent_id}/versions/1",
            f"/v1/agents/{agent_id}/versions/1/diff/draft",
            f"/v1/agents/{agent_id}/tool-capabilities",
            f"/v1/calls/{call.json()['id']}",
            "/v1/audit-log",
        )
    ]
    async with database.system_session() as session:
        agents = (await session.scalars(select(Agent.config))).all()
        versions = (await session.scalars(select(AgentVersion.snapshot))).all()
        plans = (await session.scalars(select(Call.plan))).all()
        tables = await session.scalars(
            text("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 2200")
        )
        readable = ("agents", "agent_versions", "calls", "audit_entries", "outbox_events")
        everything = [
            str(row)
            for table in tables
            if table in readable
            for row in await session.scalars(text(f"SELECT t::text FROM {table} t"))
        ]
    plan_headers = plans[0]["agent"]["tools"][0]["headers"]["Authorization"]
    assert settings.sealer.open(plan_headers["sealed"]) == SECRET
    assert (len(agents), len(versions), len(plans)) == (2, 1, 1)
    for shown in [*(answer.text for answer in answers), *everything, json.dumps(plans)]:
        assert "nightingale-4711" not in shown
        assert "b3duZXI6c2VzYW1l" not in shown
    for answer in answers[:-1]:
        assert "sealed" not in answer.text
        assert "gAAAA" not in answer.text


async def test_a_mask_that_comes_back_keeps_the_secret(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.agent(tools=[WEBHOOK])
    read = await tools_of(tenant, agent_id)
    assert read[0]["headers"] == {"Authorization": MASK}

    read[0] |= {"description": "Find an order.", "name": "find_order"}
    read[0]["url"] += "/v2"
    answer = await tenant.request("PUT", f"/v1/agents/{agent_id}", json={"tools": read})

    assert answer.status_code == 200, answer.text
    assert await tools_of(tenant, agent_id) == read
    assert await stored_secret(database, settings, tenant, agent_id) == SECRET


async def test_a_copy_keeps_the_secret(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.agent(tools=[WEBHOOK])
    copy = UUID((await tenant.post(f"/v1/agents/{agent_id}/clone")).json()["id"])
    assert await tools_of(tenant, copy) == await tools_of(tenant, agent_id)
    assert await stored_secret(database, settings, tenant, copy) == SECRET


async def test_an_update_of_something_else_keeps_the_secret(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    agent_id = await tenant.agent(tools=[WEBHOOK])
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"name": "Desk"})
    assert await stored_secret(database, settings, tenant, agent_id) == SECRET


@pytest.mark.parametrize(
    "change",
    [
        {"url": "https://elsewhere.example.com/orders"},
        {"url": "https://api.example.com:8443/orders"},
        {"headers": {"Authorization": "••••0000"}},
        {"headers": {"X-Api-Key": MASK}},
        {"headers": {"Authorization": "••••"}},
    ],
)
async def test_a_mask_is_worth_nothing_elsewhere(
    tenant: TenantClient, change: dict[str, Any]
) -> None:
    """An editor of an agent cannot send the agent's secrets to a server of their own."""
    agent_id = await tenant.agent(tools=[WEBHOOK])
    masked = WEBHOOK | {"headers": {"Authorization": MASK}} | change
    answer = await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"tools": [masked]})
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"].startswith("tools[0].headers.")
    assert (await tools_of(tenant, agent_id))[0]["url"] == WEBHOOK["url"]


async def test_a_short_secret_shows_none_of_its_characters(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(tools=[WEBHOOK | {"headers": {"X-Pin": "12345678901"}}])
    assert (await tools_of(tenant, agent_id))[0]["headers"] == {"X-Pin": "••••"}


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": MASK},
        {"Authorization": {"sealed": "gAAAA", "hint": "x"}},
        {"Authorization": ""},
        {"Authorization": "two\r\nHost: lines"},
        {"Authorization": "ümlaut"},
        {"Host": "internal"},
        {"transfer-encoding": "chunked"},
    ],
)
async def test_a_header_that_cannot_be_sent_is_400(
    tenant: TenantClient, headers: dict[str, Any]
) -> None:
    answer = await tenant.post(
        "/v1/agents", {"name": "Desk", "tools": [WEBHOOK | {"headers": headers}]}
    )
    assert answer.status_code == 400
    assert answer.json()["errors"][0]["field"] == f"tools[0].headers.{next(iter(headers))}"


async def test_a_schema_may_use_the_names_of_a_sealed_text(tenant: TenantClient) -> None:
    properties = {"sealed": {"type": "string"}, "hint": {"type": "string"}}
    schema = {"type": "object", "properties": properties}
    agent_id = await tenant.agent(tools=[WEBHOOK | {"parameters": schema}])
    assert (await tools_of(tenant, agent_id))[0]["parameters"] == schema
