"""``openai_compatible`` of ``/v1/provider-keys``: a tenant's own model server, saved and used."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import httpx2
import pytest

from contracts.sealing import Sealer
from control_plane.platform.database import Database
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.building.provider_keys.test_own_keys_in_plans import create_call, plan_of
from tests.control_plane.calling.chat_sessions.chatting import begin, say
from tests.control_plane.conftest import TenantClient
from tests.stand_ins.openai_wire import OpenAIWire, says

PATH = "/v1/provider-keys/openai_compatible"
KEY = "sk-of-my-own-server-4321"
AGENT = {"name": "Nora", "system_prompt": "Take bookings for the restaurant Blue Harbor."}


@pytest.fixture
async def wire() -> AsyncIterator[OpenAIWire]:
    listed = ("llama3.2:latest", "mistral-small")
    async with OpenAIWire([says("With pleasure.")], models=listed).serving() as wire:
        yield wire


@pytest.fixture
def allowed_networks() -> tuple[str, ...]:
    """What the operator allows."""
    return ("127.0.0.0/8",)


@pytest.fixture
def settings(
    settings: ControlPlaneSettings, allowed_networks: tuple[str, ...]
) -> ControlPlaneSettings:
    return settings.model_copy(update={"outbound_allowed_networks": allowed_networks})


async def put(tenant: TenantClient, base_url: str, **body: Any) -> httpx2.Response:
    server = {"base_url": base_url, "models": ["llama3.2", "mistral-small"]}
    return await tenant.request("PUT", PATH, json=server | body)


def refusal(answer: httpx2.Response) -> tuple[int, str, str]:
    problem = answer.json()
    field = problem["errors"][0]["field"] if "errors" in problem else ""
    return answer.status_code, problem["code"], field


async def test_it_is_asked_for_its_models_and_then_shown_without_its_key(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    answer = await put(tenant, f"{wire.base_url}/", key=KEY, name="Ollama")
    assert answer.status_code == 200, answer.text
    assert wire.authorizations == [f"Bearer {KEY}"]
    shown = answer.json()
    assert (shown["base_url"], shown["name"]) == (wire.base_url, "Ollama")
    assert shown["models"] == ["llama3.2", "mistral-small"]
    assert (shown["status"], shown["last_four"]) == ("verified", "4321")
    assert (await tenant.get("/v1/provider-keys")).json() == {"provider_keys": [shown]}
    assert KEY not in answer.text


async def test_its_models_lead_the_options_and_the_operator_s_own_are_left_out(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    await put(tenant, wire.base_url, name="Ollama")
    models = (await tenant.get("/v1/agents/llm-options")).json()["models"]
    found = [each for each in models if each["provider"] == "openai_compatible"]
    assert found == models[:2]
    assert [(each["model_id"], each["provider_name"]) for each in found] == [
        ("llama3.2", "Ollama"),
        ("mistral-small", "Ollama"),
    ]
    assert all(each["available"] for each in found)


@pytest.mark.parametrize("key", [KEY, None])
async def test_a_published_agent_is_called_with_it_at_no_charge(
    tenant: TenantClient,
    wire: OpenAIWire,
    database: Database,
    settings: ControlPlaneSettings,
    key: str | None,
) -> None:
    await put(tenant, wire.base_url, **({} if key is None else {"key": key}))
    answer = await create_call(tenant, await tenant.published_agent(**AGENT))
    assert answer.status_code == 201, answer.text
    plan = await plan_of(database, tenant)
    choice = plan.stack.llm.primary
    assert (choice.provider, choice.model) == ("openai_compatible", "llama3.2")
    assert choice.key_source == "own"
    assert plan.provider_urls == {"openai_compatible": wire.base_url}
    sealed = plan.sealed_provider_keys["openai_compatible"]
    assert Sealer(settings.encryption_keys).open(sealed) == (key or "")
    [row] = [row for row in plan.prices if row.component == "llm"]
    assert (row.provider, row.model) == ("openai_compatible", "llama3.2")
    assert row.micros_per_minute == 0


async def test_a_plan_without_one_does_not_name_the_field(
    tenant: TenantClient, database: Database
) -> None:
    assert (await create_call(tenant, await tenant.published_agent(**AGENT))).status_code == 201
    assert "provider_urls" not in (await plan_of(database, tenant)).model_dump(mode="json")


async def test_a_chat_asks_it(tenant: TenantClient, wire: OpenAIWire) -> None:
    await put(tenant, wire.base_url, key=KEY)
    chat = await begin(tenant, await tenant.published_agent(**AGENT))
    said = await say(tenant, chat, "A table, please.")
    assert said["reply"]["text"] == "With pleasure."
    assert wire.requests[0]["model"] == "llama3.2"
    assert wire.authorizations[-1] == f"Bearer {KEY}"


async def test_an_agent_on_a_server_that_was_deleted_is_refused_with_the_reason(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    await put(tenant, wire.base_url)
    named = AGENT | {"llm_provider": "openai_compatible", "llm_model": "llama3.2"}
    agent_id: UUID = await tenant.published_agent(**named)
    assert (await tenant.request("DELETE", PATH)).status_code == 200
    answer = await create_call(tenant, agent_id)
    assert (answer.status_code, answer.json()["code"]) == (422, "provider_key_unavailable")
    assert "openai_compatible/llama3.2" in answer.json()["detail"]


async def test_a_model_that_it_does_not_have_is_refused_with_those_that_it_has(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    answer = await put(tenant, wire.base_url, models=["mistral-small", "qwen3"])
    assert refusal(answer) == (400, "invalid_request", "models[1]")
    assert "has no model qwen3; it has llama3.2:latest, mistral-small" in answer.text
    unasked = await put(tenant, wire.base_url, models=["qwen3"], verify=False)
    assert unasked.json()["status"] == "unverified"


async def test_a_key_that_it_refuses_is_not_stored(tenant: TenantClient, wire: OpenAIWire) -> None:
    wire.valid_keys = {KEY}
    for wrong, advice in (({}, "It wants a key"), ({"key": "another-key-1"}, "Check the key")):
        answer = await put(tenant, wire.base_url, **wrong)
        assert refusal(answer) == (400, "provider_key_rejected", "")
        assert advice in answer.json()["detail"]
    assert (await tenant.get("/v1/provider-keys")).json() == {"provider_keys": []}


@pytest.mark.parametrize("path", ["", "/no/such/path"])
async def test_a_server_that_is_away_or_something_else_is_not_stored(
    tenant: TenantClient, wire: OpenAIWire, path: str
) -> None:
    address = f"{wire.base_url}{path}" if path else "http://127.0.0.1:1/v1"
    answer = await put(tenant, address)
    assert refusal(answer) == (424, "provider_unreachable", "")
    assert "ends with /v1 for most servers" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"base_url": None}, "base_url"),
        ({"models": None}, "models"),
        ({"models": []}, "models"),
        ({"models": ["a", "a"]}, "models"),
        ({"models": ["a b"]}, "models[0]"),
        ({"base_url": "ftp://example.com/v1"}, "base_url"),
        ({"base_url": "http://8.8.8.8/v1"}, "base_url"),
        ({"base_url": "https://8.8.8.8/v1?key=s3cret"}, "base_url"),
        ({"base_url": "http://10.0.0.1/v1"}, "base_url"),
        ({"name": " "}, "name"),
    ],
)
async def test_what_cannot_be_a_server_is_refused_by_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    server = {"base_url": "https://8.8.8.8/v1", "models": ["a"], "verify": False} | body
    answer = await tenant.request("PUT", PATH, json=server)
    assert refusal(answer) == (400, "invalid_request", field)


@pytest.mark.parametrize("allowed_networks", [()])
async def test_a_private_network_is_refused_where_the_operator_has_not_allowed_it(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    for verify in (True, False):
        answer = await put(tenant, wire.base_url, verify=verify)
        assert refusal(answer) == (400, "invalid_request", "base_url")
        assert "loopback of the machine itself" in answer.text
    assert wire.authorizations == []


async def test_a_vendor_s_key_takes_no_address(tenant: TenantClient, wire: OpenAIWire) -> None:
    for extra in ({"base_url": wire.base_url}, {"models": ["a"]}, {"name": "Mine"}):
        body = {"key": KEY, "verify": False} | extra
        answer = await tenant.request("PUT", "/v1/provider-keys/openai", json=body)
        assert refusal(answer) == (400, "invalid_request", next(iter(extra)))
