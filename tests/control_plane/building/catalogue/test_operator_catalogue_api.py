"""The operator's edits of the catalogue."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx2
import pytest

from control_plane.building.catalogue.load import load_catalogue
from tests.control_plane.conftest import OPERATOR, TenantClient

MODEL = {
    "provider": "openai",
    "provider_name": "OpenAI",
    "model": "gpt-ours",
    "label": "Ours",
    "channels": ["llm"],
    "languages": ["*"],
    "modality": "text",
    "rank": 5,
    "prices_micros_per_minute": {"llm": 1234},
}
VOICE = {
    "id": "hibari-2",
    "provider": "local",
    "name": "Hibari two",
    "label": "Hibari two",
    "gender": "female",
    "languages": ["en"],
    "models": ["hibari-en"],
    "rank": 1,
}
SKU: dict[str, Any] = {
    "id": "night-shift",
    "label": "Night shift",
    "best_for": "After hours",
    "description": "Everything on this machine.",
    "stt": {"provider": "local", "model": "moonshine-tiny-en"},
    "llm": {"provider": "local", "model": "playbook"},
    "tts": {"provider": "local", "model": "hibari-en"},
    "voice": "hibari",
    "supported_languages": ["en-US"],
}
PRICE = {"component": "llm", "provider": "openai", "model": "gpt-4o", "micros_per_minute": 7}


async def ask(
    http: httpx2.AsyncClient, method: str, what: str, body: object = None
) -> httpx2.Response:
    path = f"/v1/operator/catalogue/{what}"
    return await http.request(method, path, headers=OPERATOR, json=body)


async def entry(http: httpx2.AsyncClient, what: str, **key: str) -> dict[str, Any]:
    listed = (await ask(http, "GET", what)).json()[what]
    [found] = [item for item in listed if key.items() <= item.items()]
    return dict(found)


async def offered(tenant: TenantClient) -> set[str]:
    options = (await tenant.get("/v1/agents/llm-options")).json()
    return {item["model_id"] for item in options["models"]}


class TestAModel:
    async def test_that_is_new_is_offered_at_its_price(self, tenant: TenantClient) -> None:
        answer = await ask(tenant.http, "PUT", "models", MODEL)
        assert (answer.status_code, answer.json()["status"]) == (200, "saved")
        options = (await tenant.get("/v1/agents/llm-options")).json()
        [found] = [item for item in options["models"] if item["model_id"] == "gpt-ours"]
        assert (found["label"], found["cost_per_min"]) == ("Ours", 0.001234)

    async def test_that_is_known_keeps_its_price(self, tenant: TenantClient) -> None:
        known = await entry(tenant.http, "models", model="gpt-4o")
        assert known.pop("edited_at") is None
        answer = await ask(tenant.http, "PUT", "models", known | {"label": "Renamed"})
        assert answer.status_code == 200, answer.text
        changed = await entry(tenant.http, "models", model="gpt-4o")
        assert (changed["label"], changed["edited_at"]) == ("Renamed", answer.json()["edited_at"])

    async def test_can_be_switched_off_and_on_and_stays_so_at_the_next_load(
        self, tenant: TenantClient, postgres_url: str
    ) -> None:
        switch = {"provider": "openai", "model": "gpt-4o"}
        answer = await ask(tenant.http, "PATCH", "models", switch | {"is_active": False})
        assert answer.status_code == 200
        report = load_catalogue(postgres_url)
        assert report.kept == ("model openai/gpt-4o",)
        assert "gpt-4o" not in await offered(tenant)
        assert (await entry(tenant.http, "models", model="gpt-4o"))["is_active"] is False

        await ask(tenant.http, "PATCH", "models", switch | {"is_active": True})
        assert "gpt-4o" in await offered(tenant)

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"provider": "acme"}, "provider"),
            ({"channels": ["tts"], "provider": "anthropic"}, "channels"),
            ({"channels": ["llm"], "modality": "realtime"}, "channels"),
            ({"prices_micros_per_minute": {}}, "prices_micros_per_minute.llm"),
            ({"prices_micros_per_minute": {"llm": 1, "tts": 1}}, "prices_micros_per_minute.tts"),
            ({"prices_micros_per_minute": {"llm": -1}}, "prices_micros_per_minute.llm"),
            ({"prices_micros_per_minute": {"llm": 10**30}}, "prices_micros_per_minute.llm"),
            ({"rank": 2**40}, "rank"),
            ({"latency_ms": 2**40}, "latency_ms"),
            ({"languages": ["english"]}, "languages[0]"),
            ({"model": " "}, "model"),
            ({"wheels": 4}, "wheels"),
        ],
    )
    async def test_that_makes_no_sense_is_refused_by_field(
        self, http: httpx2.AsyncClient, change: dict[str, Any], field: str
    ) -> None:
        answer = await ask(http, "PUT", "models", MODEL | change)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == field

    async def test_that_is_not_there_cannot_be_switched(self, http: httpx2.AsyncClient) -> None:
        switch = {"provider": "openai", "model": "gpt-0", "is_active": False}
        answer = await ask(http, "PATCH", "models", switch)
        assert (answer.status_code, answer.json()["code"]) == (404, "catalogue_entry_not_found")


class TestAVoice:
    async def test_that_is_new_is_offered_and_used(self, tenant: TenantClient) -> None:
        assert (await ask(tenant.http, "PUT", "voices", VOICE)).status_code == 200
        agent_id = await tenant.agent(voice="hibari-2")
        agent = (await tenant.get(f"/v1/agents/{agent_id}")).json()
        assert agent["provider_config"]["tts"]["primary"]["voice"] == "hibari-2"
        assert agent["provider_config"]["warnings"] == {}

    async def test_can_be_switched_off(self, tenant: TenantClient) -> None:
        switch = {"provider": "local", "id": "espeak", "is_active": False}
        assert (await ask(tenant.http, "PATCH", "voices", switch)).status_code == 200
        voices = (await tenant.get("/v1/agents/voices")).json()["voices"]
        assert "espeak" not in {voice["id"] for voice in voices}
        assert (await entry(tenant.http, "voices", id="espeak"))["is_active"] is False

    async def test_of_a_model_that_does_not_speak_is_refused(
        self, http: httpx2.AsyncClient
    ) -> None:
        answer = await ask(http, "PUT", "voices", VOICE | {"models": ["hibari-en", "playbook"]})
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == "models[1]"

    async def test_that_is_not_there_cannot_be_switched(self, http: httpx2.AsyncClient) -> None:
        switch = {"provider": "local", "id": "nobody", "is_active": True}
        assert (await ask(http, "PATCH", "voices", switch)).status_code == 404


class TestAManagedSku:
    async def test_without_a_price_costs_nothing(self, tenant: TenantClient) -> None:
        assert (await ask(tenant.http, "PUT", "skus", SKU)).status_code == 200
        skus = (await tenant.get("/v1/managed-skus")).json()["skus"]
        [found] = [sku for sku in skus if sku["id"] == "night-shift"]
        assert (found["pricePerMin"], found["effectivePricePerMin"]) == (None, 0)
        assert found["available"] is True

    async def test_with_a_price_costs_that(self, tenant: TenantClient) -> None:
        await ask(tenant.http, "PUT", "skus", SKU | {"price_micros_per_minute": 15_000})
        skus = (await tenant.get("/v1/managed-skus")).json()["skus"]
        [found] = [sku for sku in skus if sku["id"] == "night-shift"]
        assert (found["pricePerMin"], found["effectivePricePerMin"]) == (0.015, 0.015)

    async def test_that_is_switched_off_is_no_longer_offered(self, tenant: TenantClient) -> None:
        switch = {"id": "offline-english", "is_active": False}
        assert (await ask(tenant.http, "PATCH", "skus", switch)).status_code == 200
        skus = (await tenant.get("/v1/managed-skus")).json()["skus"]
        assert "offline-english" not in {sku["id"] for sku in skus}
        assert (await entry(tenant.http, "skus", id="offline-english"))["is_active"] is False

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"stt": {"provider": "local", "model": "playbook"}}, "stt"),
            ({"voice": "thalia"}, "voice"),
            ({"supported_languages": ["de-DE"]}, "supported_languages"),
            ({"supported_languages": ["en"]}, "supported_languages[0]"),
            ({"id": "Night Shift"}, "id"),
        ],
    )
    async def test_that_makes_no_sense_is_refused_by_field(
        self, http: httpx2.AsyncClient, change: dict[str, Any], field: str
    ) -> None:
        answer = await ask(http, "PUT", "skus", SKU | change)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == field

    async def test_that_is_not_there_cannot_be_switched(self, http: httpx2.AsyncClient) -> None:
        assert (
            await ask(http, "PATCH", "skus", {"id": "nowhere", "is_active": True})
        ).status_code == 404


class TestAPrice:
    async def test_is_superseded_and_never_changed(self, tenant: TenantClient) -> None:
        path = "prices?provider=openai&model=gpt-4o"
        before = (await ask(tenant.http, "GET", path)).json()["prices"]
        answer = await ask(tenant.http, "POST", "prices", PRICE)
        assert answer.status_code == 201, answer.text
        assert (await ask(tenant.http, "GET", path)).json()["prices"] == [
            answer.json()["price"],
            *before,
        ]
        options = (await tenant.get("/v1/agents/llm-options")).json()
        [found] = [item for item in options["models"] if item["model_id"] == "gpt-4o"]
        assert found["cost_per_min"] == 0.000007

    async def test_can_begin_later(self, tenant: TenantClient) -> None:
        later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
        answer = await ask(tenant.http, "POST", "prices", PRICE | {"valid_from": later})
        assert answer.status_code == 201
        options = (await tenant.get("/v1/agents/llm-options")).json()
        [found] = [item for item in options["models"] if item["model_id"] == "gpt-4o"]
        assert found["cost_per_min"] == 0.05

    async def test_of_the_platform_can_be_set(self, tenant: TenantClient) -> None:
        fee = {
            "component": "platform",
            "provider": "switchboard",
            "model": "platform",
            "micros_per_minute": 0,
        }
        assert (await ask(tenant.http, "POST", "prices", fee)).status_code == 201
        history = await ask(tenant.http, "GET", "prices")
        fees = [row for row in history.json()["prices"] if row["component"] == "platform"]
        assert [row["micros_per_minute"] for row in fees] == [0, 20_000]

    async def test_from_the_same_moment_on_is_a_conflict(self, http: httpx2.AsyncClient) -> None:
        later = (datetime.now(UTC) + timedelta(days=30)).isoformat()
        await ask(http, "POST", "prices", PRICE | {"valid_from": later})
        answer = await ask(
            http, "POST", "prices", PRICE | {"valid_from": later, "micros_per_minute": 8}
        )
        assert (answer.status_code, answer.json()["code"]) == (409, "price_exists")

    async def test_of_a_managed_sku_can_be_set(self, tenant: TenantClient) -> None:
        price = {
            "component": "managed_sku",
            "provider": "switchboard",
            "model": "offline-english",
            "micros_per_minute": 1_000,
        }
        assert (await ask(tenant.http, "POST", "prices", price)).status_code == 201
        skus = (await tenant.get("/v1/managed-skus")).json()["skus"]
        [found] = [sku for sku in skus if sku["id"] == "offline-english"]
        assert found["pricePerMin"] == 0.001

    @pytest.mark.parametrize(
        ("change", "field"),
        [
            ({"valid_from": "2026-01-01T00:00:00Z"}, "valid_from"),
            ({"valid_from": "2099-01-01T00:00:00"}, "valid_from"),
            ({"component": "tts"}, "model"),
            ({"model": "gpt-0"}, "model"),
            ({"component": "managed_sku"}, "model"),
            ({"component": "platform"}, "model"),
            ({"provider": "openai", "model": "gpt-realtime", "component": "stt"}, "model"),
        ],
    )
    async def test_that_makes_no_sense_is_refused_by_field(
        self, http: httpx2.AsyncClient, change: dict[str, Any], field: str
    ) -> None:
        answer = await ask(http, "POST", "prices", PRICE | change)
        assert answer.status_code == 400
        assert answer.json()["errors"][0]["field"] == field


@pytest.mark.parametrize("what", ["models", "voices", "skus", "prices"])
async def test_a_tenants_key_opens_none_of_it(tenant: TenantClient, what: str) -> None:
    assert (await tenant.get(f"/v1/operator/catalogue/{what}")).status_code == 401
