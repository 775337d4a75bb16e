"""Agents on a managed SKU: moving there, the bill, and moving away."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid4

import pytest
from sqlalchemy import select, update

from contracts.call_plan import CallPlan
from control_plane.building.catalogue.models import ManagedSku
from control_plane.calling.calls.models import Call
from control_plane.platform.database import Database
from tests.control_plane.conftest import TenantClient

OFFLINE = {"managed_sku_id": "offline-english", "language": "en-US"}


async def apply(tenant: TenantClient, agent_id: UUID, **body: Any) -> dict[str, Any]:
    answer = await tenant.post(f"/v1/agents/{agent_id}/apply-managed-sku", OFFLINE | body)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def opt_out(tenant: TenantClient, agent_id: UUID) -> dict[str, Any]:
    answer = await tenant.post(f"/v1/agents/{agent_id}/opt-out-to-custom")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


async def read(tenant: TenantClient, agent_id: UUID) -> dict[str, Any]:
    return dict((await tenant.get(f"/v1/agents/{agent_id}")).json())


async def plan_of_a_call(tenant: TenantClient, database: Database, agent_id: UUID) -> CallPlan:
    published = await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert published.status_code == 200, published.text
    answer = await tenant.post(
        "/v1/calls",
        {
            "agent_id": str(agent_id),
            "participants": [{"transport": "webrtc", "identity": "caller"}],
        },
    )
    assert answer.status_code == 201, answer.text
    async with database.tenant_session(tenant.tenant_id) as session:
        plan = await session.scalar(select(Call.plan).where(Call.id == UUID(answer.json()["id"])))
    return CallPlan.model_validate(plan)


class TestMovingOntoASku:
    async def test_lets_it_decide_models_and_voice(self, tenant: TenantClient) -> None:
        agent_id = await tenant.draft(
            llm_provider="openai", llm_model="gpt-4o", tts_fallback_provider="deepgram"
        )
        moved = await apply(tenant, agent_id)
        assert (moved["status"], moved["id"]) == ("updated", str(agent_id))
        assert (moved["agent_kind"], moved["managed_sku_id"]) == ("managed", "offline-english")
        agent = await read(tenant, agent_id)
        assert (agent["agent_kind"], agent["voice"]) == ("managed", "hibari")
        assert agent["llm_provider"] is None
        assert agent["tts_fallback_provider"] is None
        assert agent["provider_config"] == moved["provider_config"]
        assert moved["provider_config"]["llm"]["primary"]["model"] == "playbook"
        assert moved["provider_config"]["warnings"] == {}

    async def test_keeps_the_languages_that_the_sku_supports(self, tenant: TenantClient) -> None:
        agent_id = await tenant.draft(
            language="en-GB", supported_languages=["en-GB", "de-DE", "en-US"]
        )
        moved = await apply(tenant, agent_id, language="en-AU")
        assert moved["language"] == "en-AU"
        assert moved["supported_languages"] == ["en-AU", "en-GB", "en-US"]
        assert moved["dropped_languages"] == ["de-DE"]

    async def test_keeps_the_language_where_none_is_sent(self, tenant: TenantClient) -> None:
        agent_id = await tenant.agent(language="en-GB")
        assert (await apply(tenant, agent_id, language=None))["language"] == "en-GB"

    async def test_can_go_from_one_to_another(self, tenant: TenantClient) -> None:
        agent_id = await tenant.agent()
        await apply(tenant, agent_id, managed_sku_id="clear-english")
        moved = await apply(tenant, agent_id)
        assert moved["managed_sku_id"] == "offline-english"

    async def test_of_a_sku_that_cannot_run_here_is_kept_but_not_published(
        self, tenant: TenantClient
    ) -> None:
        agent_id = await tenant.agent()
        moved = await apply(tenant, agent_id, managed_sku_id="clear-english")
        assert "the platform's keys" in moved["provider_config"]["problems"]["en-US"]
        assert (await tenant.post(f"/v1/agents/{agent_id}/publish")).status_code == 409

    @pytest.mark.parametrize(
        ("body", "field"),
        [
            ({"managed_sku_id": "nowhere"}, "managed_sku_id"),
            ({"managed_sku_id": None}, "managed_sku_id"),
            ({"language": "de-DE"}, "language"),
            ({"language": "und"}, "language"),
            ({"wheels": 4}, "wheels"),
        ],
    )
    async def test_that_cannot_be_is_refused_by_field(
        self, tenant: TenantClient, body: dict[str, Any], field: str
    ) -> None:
        agent_id = await tenant.agent()
        answer = await tenant.post(f"/v1/agents/{agent_id}/apply-managed-sku", OFFLINE | body)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == field
        assert (await read(tenant, agent_id))["agent_kind"] == "custom"

    async def test_that_is_switched_off_is_refused(
        self, tenant: TenantClient, database: Database
    ) -> None:
        agent_id = await tenant.agent()
        async with database.system_session() as session:
            await session.execute(update(ManagedSku).values(is_active=False))
        answer = await tenant.post(f"/v1/agents/{agent_id}/apply-managed-sku", OFFLINE)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "managed_sku_id"
        assert (await read(tenant, agent_id))["agent_kind"] == "custom"


class TestOptingOut:
    async def test_sounds_the_same(self, tenant: TenantClient) -> None:
        agent_id = await tenant.agent(persona={"voiceConfig": {"voiceId": "espeak"}})
        managed = (await apply(tenant, agent_id))["provider_config"]
        custom = await opt_out(tenant, agent_id)
        assert (custom["agent_kind"], custom["managed_sku_id"]) == ("custom", None)
        for channel in ("stt", "llm", "tts"):
            assert custom["provider_config"][channel] == managed[channel]
        agent = await read(tenant, agent_id)
        assert (agent["tts_provider"], agent["tts_model"]) == ("local", "hibari-en")

    async def test_of_a_custom_agent_changes_nothing(self, tenant: TenantClient) -> None:
        agent_id = await tenant.agent()
        before = await read(tenant, agent_id)
        await opt_out(tenant, agent_id)
        assert await read(tenant, agent_id) == before


class TestTheBill:
    async def test_of_a_managed_agent_is_the_skus_price_alone(
        self, tenant: TenantClient, database: Database
    ) -> None:
        agent_id = await tenant.agent()
        await apply(tenant, agent_id)
        plan = await plan_of_a_call(tenant, database, agent_id)
        assert [(row.component, row.model) for row in plan.prices] == [
            ("managed_sku", "offline-english")
        ]
        assert plan.rate_micros_per_minute == 20_000

    async def test_after_opting_out_is_each_model_and_the_fee(
        self, tenant: TenantClient, database: Database
    ) -> None:
        agent_id = await tenant.agent()
        await apply(tenant, agent_id)
        await opt_out(tenant, agent_id)
        plan = await plan_of_a_call(tenant, database, agent_id)
        assert {row.component for row in plan.prices} == {"stt", "llm", "tts", "platform"}


@pytest.mark.parametrize("route", ["apply-managed-sku", "opt-out-to-custom"])
class TestEitherRoute:
    async def test_refuses_an_agent_that_has_changed_since(
        self, tenant: TenantClient, route: str
    ) -> None:
        agent_id = await tenant.agent()
        answer = await tenant.http.post(
            f"/v1/agents/{agent_id}/{route}",
            headers=tenant.headers | {"If-Match": '"999"'},
            json=OFFLINE if route.startswith("apply") else None,
        )
        assert (answer.status_code, answer.json()["code"]) == (412, "precondition_failed")

    async def test_knows_no_agent_of_anybody_else(
        self, tenant: TenantClient, other_tenant: TenantClient, route: str
    ) -> None:
        body = OFFLINE if route.startswith("apply") else None
        for agent_id in (await other_tenant.agent(), uuid4()):
            answer = await tenant.post(f"/v1/agents/{agent_id}/{route}", body)
            assert (answer.status_code, answer.json()["code"]) == (404, "agent_not_found")

    async def test_needs_a_secret_key(self, tenant: TenantClient, route: str) -> None:
        path = f"/v1/agents/{await tenant.agent()}/{route}"
        body = OFFLINE if route.startswith("apply") else None
        assert (await tenant.http.post(path, json=body)).status_code == 401
        key = await tenant.publishable_key()
        assert (await tenant.http.post(path, json=body, headers=key)).status_code == 403
