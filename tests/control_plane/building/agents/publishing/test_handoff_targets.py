"""What publishing says of an agent's handoffs."""

from __future__ import annotations

import itertools
from typing import Any
from uuid import UUID

from sqlalchemy import delete

from contracts.call_plan import MAX_AGENTS
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient
from tests.control_plane.handoffs import hand_over, handoff, own_openai_key


async def findings(tenant: TenantClient, agent_id: UUID, kind: str) -> list[dict[str, Any]]:
    answer = await tenant.post("/v1/agents/validate-publish", {"agent_id": str(agent_id)})
    assert answer.status_code == 200, answer.text
    return [each for each in answer.json()[kind] if each["code"].startswith("handoff")]


async def test_two_agents_that_hand_over_to_each_other_can_be_published(
    tenant: TenantClient,
) -> None:
    sales = await tenant.agent(name="Sales")
    desk = await tenant.agent(tools=[handoff(sales)])
    [warning] = await findings(tenant, desk, "warnings")
    assert (warning["code"], warning["field"]) == (
        "handoff_target_unpublished",
        "tools[0].agent_id",
    )
    assert "Sales" in warning["message"]
    await hand_over(tenant, desk, sales)
    await hand_over(tenant, sales, desk)
    assert await findings(tenant, desk, "warnings") == []
    assert await findings(tenant, sales, "blockers") == []


async def test_a_handoff_to_a_deleted_agent_prevents_publishing(tenant: TenantClient) -> None:
    sales = await tenant.published_agent(name="Sales")
    desk = await tenant.agent(tools=[handoff(sales)])
    await tenant.request("DELETE", f"/v1/agents/{sales}")
    [blocker] = await findings(tenant, desk, "blockers")
    assert blocker["code"] == "handoff_target_missing"
    refused = await tenant.post(f"/v1/agents/{desk}/publish")
    assert refused.status_code == 409


async def test_a_target_that_cannot_talk_any_more_is_a_warning(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await own_openai_key(tenant, database, settings)
    sales = await tenant.published_agent(name="Sales", supported_languages=["de-DE"])
    desk = await tenant.agent(tools=[handoff(sales)])
    assert await findings(tenant, desk, "warnings") == []
    async with database.system_session() as session:
        await session.execute(delete(ProviderKey).where(ProviderKey.tenant_id == tenant.tenant_id))
    [warning] = await findings(tenant, desk, "warnings")
    assert (warning["code"], warning["field"]) == (
        "handoff_target_not_served",
        "tools[0].agent_id",
    )
    assert "Sales" in warning["message"]
    assert "de-DE: " in warning["message"]
    published = await tenant.post(f"/v1/agents/{desk}/publish")
    assert published.status_code == 200, published.text


async def test_more_agents_than_can_talk_in_one_call_prevent_publishing(
    tenant: TenantClient,
) -> None:
    agents = [await tenant.published_agent(name=f"Agent {n}") for n in range(MAX_AGENTS)]
    for agent, following in reversed(list(itertools.pairwise(agents))):
        await hand_over(tenant, agent, following)
    assert await findings(tenant, agents[0], "blockers") == []
    one_more = await tenant.agent(tools=[handoff(agents[0])])
    [blocker] = await findings(tenant, one_more, "blockers")
    assert blocker["code"] == "handoffs_too_many"
    assert str(MAX_AGENTS) in blocker["message"]


async def test_no_agent_hands_over_to_itself(tenant: TenantClient) -> None:
    desk = await tenant.agent()
    answer = await tenant.request("PATCH", f"/v1/agents/{desk}", json={"tools": [handoff(desk)]})
    assert answer.status_code == 400
    [error] = answer.json()["errors"]
    assert error["field"] == "tools[0].agent_id"
    assert "itself" in error["message"]
