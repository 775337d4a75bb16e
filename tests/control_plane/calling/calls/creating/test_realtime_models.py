"""A call of an agent with a realtime model: its plan has the pipeline behind it."""

from __future__ import annotations

from uuid import UUID

import pytest
from sqlalchemy import select

from contracts.call_plan import CallPlan
from contracts.money import PLATFORM_FEE_MICROS_PER_MINUTE
from control_plane.building.provider_keys.models import ProviderKey
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.conftest import TenantClient


@pytest.mark.parametrize(
    ("provider", "model", "voice"),
    [
        ("openai", "gpt-realtime", "marin"),
        ("google", "gemini-3.8-live", "Puck"),
        ("google", "gemini-2.5-flash-native-audio-preview-12-2025", "Aoede"),
    ],
)
async def test_it_is_published_and_planned_with_a_pipeline(
    tenant: TenantClient,
    database: Database,
    settings: ControlPlaneSettings,
    provider: str,
    model: str,
    voice: str,
) -> None:
    async with database.system_session() as session:
        session.add(
            ProviderKey(
                tenant_id=tenant.tenant_id,
                provider=provider,
                sealed_key=settings.sealer.seal("sk-of-the-tenant"),
                last_four="nant",
            )
        )
    agent_id = await tenant.published_agent(llm_model=model, voice=voice)
    participants = [{"transport": "webrtc", "identity": "caller"}]
    answer = await tenant.post(
        "/v1/calls", {"agent_id": str(agent_id), "participants": participants}
    )
    assert answer.status_code == 201, answer.text
    async with database.tenant_session(tenant.tenant_id) as session:
        document = await session.scalar(
            select(Call.plan).where(Call.id == UUID(answer.json()["id"]))
        )
    plan = CallPlan.model_validate(document)

    assert plan.stack.mode == "realtime"
    assert plan.stack.tts.primary.provider == provider
    assert plan.stack.tts.primary.model == model
    assert plan.stack.tts.primary.voice == voice
    behind = plan.without_realtime.stack
    assert behind.mode == "pipeline"
    assert behind.tts.primary.voice == voice
    assert behind.pipeline is None
    assert set(plan.sealed_provider_keys) == {provider}
    assert plan.rate_micros_per_minute == PLATFORM_FEE_MICROS_PER_MINUTE
