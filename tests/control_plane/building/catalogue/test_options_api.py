"""What a tenant is offered, true to its tier and its keys."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import update

from control_plane.building.provider_keys.models import ProviderKey
from control_plane.platform.database import Database
from control_plane.platform.tenancy.models import Tenant
from tests.control_plane.conftest import TenantClient

MODEL_FIELDS = {
    "provider",
    "provider_name",
    "model_id",
    "label",
    "type",
    "plan_locked",
    "required_plan",
    "byok_required",
    "byok_provider_id",
    "modality",
    "latency_ms",
    "cost_per_min",
    "reasoning_supported",
}
VOICE_FIELDS = {
    "id",
    "provider",
    "name",
    "label",
    "gender",
    "supported_model_ids",
    "is_active",
    "byok_required",
    "byok_provider_id",
}
SKU_FIELDS = {
    "id",
    "label",
    "bestFor",
    "description",
    "features",
    "pricePerMin",
    "effectivePricePerMin",
    "stt",
    "llm",
    "tts",
    "voice",
    "supportedLanguages",
    "isActive",
    "sortOrder",
}


async def model(tenant: TenantClient, model_id: str) -> dict[str, Any]:
    options = (await tenant.get("/v1/agents/llm-options")).json()
    [found] = [entry for entry in options["models"] if entry["model_id"] == model_id]
    return dict(found)


async def own_key(database: Database, tenant_id: UUID, provider: str) -> None:
    async with database.system_session() as session:
        session.add(
            ProviderKey(
                tenant_id=tenant_id, provider=provider, sealed_key="sealed", last_four="1234"
            )
        )


async def test_every_field_of_the_catalogue_is_there(tenant: TenantClient) -> None:
    options = (await tenant.get("/v1/agents/llm-options")).json()
    assert set(options) == {"models", "voices"}
    assert all(set(entry) >= MODEL_FIELDS for entry in options["models"])
    assert all(set(entry) >= VOICE_FIELDS for entry in options["voices"])


async def test_a_local_model_needs_nothing(tenant: TenantClient) -> None:
    playbook = await model(tenant, "playbook")
    assert playbook["type"] == ["llm"]
    assert (playbook["byok_required"], playbook["byok_provider_id"]) == (False, None)
    assert (playbook["plan_locked"], playbook["required_plan"]) == (False, None)
    assert playbook["cost_per_min"] == 0
    assert (playbook["available"], playbook["unavailable_reason"]) == (True, None)


async def test_a_model_without_a_platform_key_needs_the_tenants_own(
    tenant: TenantClient, database: Database
) -> None:
    before = await model(tenant, "gpt-4o")
    assert (before["byok_required"], before["byok_provider_id"]) == (True, "openai")
    assert before["available"] is False
    assert "set a provider key for openai" in before["unavailable_reason"]

    await own_key(database, tenant.tenant_id, "openai")
    after = await model(tenant, "gpt-4o")
    assert (after["byok_required"], after["available"]) == (True, True)


async def test_a_model_above_the_tier_is_locked(tenant: TenantClient, database: Database) -> None:
    locked = await model(tenant, "gpt-6-astra")
    assert (locked["plan_locked"], locked["required_plan"]) == (True, "enterprise")
    async with database.system_session() as session:
        await session.execute(
            update(Tenant).where(Tenant.id == tenant.tenant_id).values(tier="enterprise")
        )
    unlocked = await model(tenant, "gpt-6-astra")
    assert (unlocked["plan_locked"], unlocked["required_plan"]) == (False, "enterprise")


async def test_a_realtime_model_bundles_all_three_and_is_available_with_a_key(
    tenant: TenantClient, database: Database
) -> None:
    await own_key(database, tenant.tenant_id, "openai")
    found = await model(tenant, "gpt-realtime")
    assert sorted(found["type"]) == ["llm", "stt", "tts"]
    assert found["modality"] == "realtime"
    assert found["available"] is True


class TestVoices:
    async def test_are_those_of_the_options(self, tenant: TenantClient) -> None:
        options = (await tenant.get("/v1/agents/llm-options")).json()
        answer = await tenant.get("/v1/agents/voices")
        assert answer.json() == {"voices": options["voices"]}
        assert "Aoede" in {voice["id"] for voice in options["voices"]}

    @pytest.mark.parametrize(
        ("query", "check"),
        [
            ("provider=deepgram", lambda voice: voice["provider"] == "deepgram"),
            ("gender=male", lambda voice: voice["gender"] == "male"),
            ("model=tts-1", lambda voice: "tts-1" in voice["supported_model_ids"]),
            ("language=nl-BE", lambda voice: "nl" in voice["languages"]),
        ],
    )
    async def test_can_be_filtered(self, tenant: TenantClient, query: str, check: Any) -> None:
        everyone = (await tenant.get("/v1/agents/voices")).json()["voices"]
        found = (await tenant.get(f"/v1/agents/voices?{query}")).json()["voices"]
        assert 0 < len(found) < len(everyone)
        assert all(check(voice) for voice in found)

    async def test_of_nobody_are_none(self, tenant: TenantClient) -> None:
        answer = await tenant.get("/v1/agents/voices?provider=acme")
        assert (answer.status_code, answer.json()) == (200, {"voices": []})

    @pytest.mark.parametrize("query", ["gender=loud", "language=xx-yy-zz", "language=und"])
    async def test_refuse_a_filter_that_makes_no_sense(
        self, tenant: TenantClient, query: str
    ) -> None:
        answer = await tenant.get(f"/v1/agents/voices?{query}")
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == query.split("=")[0]


class TestManagedSkus:
    async def test_have_every_field(self, tenant: TenantClient) -> None:
        skus = (await tenant.get("/v1/managed-skus")).json()["skus"]
        assert all(set(sku) >= SKU_FIELDS for sku in skus)
        assert [sku["sortOrder"] for sku in skus] == sorted(sku["sortOrder"] for sku in skus)
        for sku in skus:
            assert sku["effectivePricePerMin"] == sku["pricePerMin"] > 0
            assert all("-" in language for language in sku["supportedLanguages"])

    async def test_say_which_of_them_run_here(self, tenant: TenantClient) -> None:
        skus = {sku["id"]: sku for sku in (await tenant.get("/v1/managed-skus")).json()["skus"]}
        assert skus["offline-english"]["available"] is True
        assert skus["clear-english"]["available"] is False
        assert "deepgram/nova-3" in skus["clear-english"]["unavailableReason"]


@pytest.mark.parametrize("path", ["agents/llm-options", "agents/voices", "managed-skus"])
async def test_the_catalogue_needs_a_secret_key(tenant: TenantClient, path: str) -> None:
    assert (await tenant.http.get(f"/v1/{path}")).status_code == 401
    key = await tenant.publishable_key()
    assert (await tenant.http.get(f"/v1/{path}", headers=key)).status_code == 403
