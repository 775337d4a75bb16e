"""A channel on the tenant's own key costs nothing; the platform's fee stays."""

from __future__ import annotations

from uuid import UUID

from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


async def test_a_plan_freezes_a_row_of_nothing_for_an_own_key(
    tenant: TenantClient, database: Database, settings: ControlPlaneSettings
) -> None:
    async with database.system_session() as session:
        session.add(
            ProviderKey(
                tenant_id=tenant.tenant_id,
                provider="openai",
                sealed_key=settings.sealer.seal("sk-of-the-tenant"),
                last_four="nant",
            )
        )
    agent_id = await tenant.published_agent(llm_provider="openai", llm_model="gpt-4o")
    answer = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "caller"}],
        },
    )
    assert answer.status_code == 201, answer.text
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(
            select(Call.plan).where(Call.id == UUID(answer.json()["id"]))
        )
    plan = CallPlan.model_validate(document)

    prices = {row.component: row.micros_per_minute for row in plan.prices}
    assert plan.stack.llm.primary.key_source == "own"
    assert prices["llm"] == 0
    assert prices["platform"] == PLATFORM_FEE_MICROS_PER_MINUTE
    assert plan.rate_micros_per_minute == prices["stt"] + prices["tts"] + prices["platform"]
    assert "sk-of-the-tenant" not in plan.model_dump_json()
