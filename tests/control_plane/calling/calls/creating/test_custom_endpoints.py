"""A call of an agent with the tenant's own endpoints: its plan, and who may have it."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from sqlalchemy import select, update

from contracts.call_plan import CallPlan
from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.tenancy.models import Tenant
from tests.control_plane.conftest import TenantClient

OWN: dict[str, Any] = {
    "custom_llm_url": "https://8.8.8.8/v1?key=s3cret",
    "custom_transcriber_url": "wss://8.8.8.8/listen",
    "custom_voice_url": "wss://8.8.4.4/speak",
    "llm_model": "ours-7b",
    "tts_fallback_provider": "local",
}


async def move_to(tier: str, tenant: TenantClient, database: Database) -> None:
    async with database.system_session() as session:
        await session.execute(update(Tenant).where(Tenant.id == tenant.tenant_id).values(tier=tier))


async def called(tenant: TenantClient, agent_id: UUID) -> Any:
    participants = [{"transport": "webrtc", "identity": "caller"}]
    return await tenant.post("/v1/calls", {"agent_id": str(agent_id), "participants": participants})


async def test_a_plan_names_the_endpoints_and_they_cost_nothing(
    tenant: TenantClient, database: Database
) -> None:
    await move_to("enterprise", tenant, database)
    agent_id = await tenant.published_agent(**OWN)
    answer = await called(tenant, agent_id)
    assert answer.status_code == 201, answer.text
    assert "s3cret" not in answer.text
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(
            select(Call.plan).where(Call.id == UUID(answer.json()["id"]))
        )
    plan = CallPlan.model_validate(document)

    stack = plan.stack
    chosen = [channel.primary for channel in (stack.stt, stack.llm, stack.tts)]
    assert [(each.provider, each.model, each.key_source) for each in chosen] == [
        ("custom", "custom", "own"),
        ("custom", "ours-7b", "own"),
        ("custom", "custom", "own"),
    ]
    assert stack.llm.fallback is None
    assert stack.tts.fallback is not None
    assert stack.tts.fallback.provider == "local"
    assert plan.sealed_provider_keys == {}
    assert plan.agent.custom_llm_url == OWN["custom_llm_url"]
    assert plan.rate_micros_per_minute == PLATFORM_FEE_MICROS_PER_MINUTE


async def test_who_has_left_the_tier_makes_no_calls_with_them(
    tenant: TenantClient, database: Database
) -> None:
    await move_to("enterprise", tenant, database)
    agent_id = await tenant.published_agent(**OWN)
    await move_to("free", tenant, database)
    answer = await called(tenant, agent_id)
    assert 400 <= answer.status_code < 500
    assert "needs the tier enterprise" in answer.text


async def test_an_address_of_the_wrong_kind_is_saved_and_not_published(
    tenant: TenantClient, database: Database
) -> None:
    await move_to("enterprise", tenant, database)
    agent_id = await tenant.agent(custom_voice_url="https://8.8.8.8/v1")
    path = f"/v1/agents/{agent_id}"
    refused = await tenant.post(f"{path}/publish", {})
    assert refused.status_code == 409, refused.text
    [blocker] = refused.json()["blockers"]
    assert (blocker["code"], blocker["field"]) == ("scheme_not_supported", "custom_voice_url")
    changed = await tenant.request("PATCH", path, json={"custom_voice_mode": "compat"})
    assert changed.status_code == 200
    assert (await tenant.post(f"{path}/publish", {})).status_code == 200
