"""A call that is run with the tenant's own keys carries them, sealed."""

from __future__ import annotations

from uuid import UUID

import httpx2
from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.sealing import Sealer
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient

OWN_KEY = "sk-own-abcdefgh-4321"
MINE = {
    "llm_provider": "openai",
    "llm_model": "gpt-4.1-mini",
    "llm_fallback_provider": "anthropic",
    "llm_fallback_model": "claude-sonnet-4-6",
}


async def bring_keys(tenant: TenantClient, *providers: str) -> None:
    for provider in providers:
        path = f"/v1/provider-keys/{provider}"
        answer = await tenant.request("PUT", path, json={"key": OWN_KEY, "verify": False})
        assert answer.status_code == 200, answer.text


async def create_call(tenant: TenantClient, agent_id: UUID) -> httpx2.Response:
    participants = [{"transport": "webrtc", "identity": "caller"}]
    return await tenant.post("/v1/calls", {"agent_id": str(agent_id), "participants": participants})


async def plan_of(database: Database, tenant: TenantClient) -> CallPlan:
    async with database.tenant_session(tenant.tenant_id) as session:
        return CallPlan.model_validate(await session.scalar(select(Call.plan)))


async def test_the_plan_holds_the_keys_of_primary_and_fallback_and_nobody_can_read_them(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    await bring_keys(tenant, "openai", "anthropic", "deepgram")
    answer = await create_call(tenant, await tenant.published_agent(**MINE))
    assert answer.status_code == 201, answer.text
    plan = await plan_of(database, tenant)
    assert plan.stack.llm.primary.key_source == "own"
    choices = [
        choice
        for channel in (plan.stack.stt, plan.stack.llm, plan.stack.tts)
        for choice in (channel.primary, channel.fallback)
        if choice is not None and choice.key_source == "own"
    ]
    assert set(plan.sealed_provider_keys) == {choice.provider for choice in choices}
    assert {"openai", "anthropic"} <= set(plan.sealed_provider_keys)
    for sealed in plan.sealed_provider_keys.values():
        assert Sealer(settings.encryption_keys).open(sealed) == OWN_KEY
    assert OWN_KEY not in plan.model_dump_json()
    call = await tenant.get(f"/v1/calls/{answer.json()['id']}")
    for shown in (answer.text, call.text):
        assert OWN_KEY not in shown
        assert all(sealed not in shown for sealed in plan.sealed_provider_keys.values())


async def test_a_call_without_own_keys_carries_none(
    tenant: TenantClient, database: Database
) -> None:
    answer = await create_call(tenant, await tenant.published_agent())
    assert answer.status_code == 201, answer.text
    assert (await plan_of(database, tenant)).sealed_provider_keys == {}


async def test_a_key_that_was_deleted_since_publishing_is_a_refusal(tenant: TenantClient) -> None:
    await bring_keys(tenant, "openai", "anthropic")
    agent_id = await tenant.published_agent(**MINE)
    assert (await create_call(tenant, agent_id)).status_code == 201
    assert (await tenant.request("DELETE", "/v1/provider-keys/openai")).status_code == 200
    answer = await create_call(tenant, agent_id)
    assert (answer.status_code, answer.json()["code"]) == (422, "provider_key_unavailable")
