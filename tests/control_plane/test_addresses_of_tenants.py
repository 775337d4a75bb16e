"""No field in which a tenant writes an address lets the service call into private networks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import get_args

import pytest
from pydantic import BaseModel

from contracts.agent_config import AgentConfig
from contracts.tool_bindings import CallWebhook, Mcp, Transfer
from control_plane.building.agent_builder.schemas import EnrichRequest
from control_plane.building.agents.knowledge.pages import MOST_PAGES
from control_plane.building.provider_keys.schemas import ProviderKeySet
from control_plane.platform.settings import ControlPlaneSettings
from pipelines.texts.page_texts import address_in
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.outbound.blocked_addresses import BLOCKED_AUTHORITIES, blocked_addresses

WEBHOOK = {"type": "call_webhook", "name": "look_up", "description": "Looks it up."}
MCP = {"type": "mcp", "name": "shop"}
SAVED_FIELDS = {
    "custom_llm_url": lambda url: {"custom_llm_url": url},
    "custom_voice_url": lambda url: {"custom_voice_url": url},
    "custom_transcriber_url": lambda url: {"custom_transcriber_url": url},
    "tools[0].url of call_webhook": lambda url: {"tools": [WEBHOOK | {"url": url}]},
    "tools[0].url of mcp": lambda url: {"tools": [MCP | {"url": url}]},
}
NEVER_CALLED = {"persona.company_website"}
"""Goes into the prompt; each request of ``enrich-company`` brings its own address. Passages of the
knowledge base may be addresses, too."""


@pytest.fixture
async def enterprise(tenant: TenantClient) -> TenantClient:
    """The tier that may name endpoints of its own."""
    answer = await tenant.http.patch(
        f"/v1/operator/tenants/{tenant.tenant_id}", headers=OPERATOR, json={"tier": "enterprise"}
    )
    assert answer.status_code == 200, answer.text
    return tenant


def test_the_list_is_long_enough() -> None:
    assert len(set(BLOCKED_AUTHORITIES)) >= 60


@pytest.mark.parametrize("field", SAVED_FIELDS)
async def test_a_field_that_is_saved_refuses_them_all(enterprise: TenantClient, field: str) -> None:
    name = field.partition(" ")[0]
    accepted = {}
    for address in blocked_addresses():
        answer = await enterprise.post("/v1/agents", {"name": "x"} | SAVED_FIELDS[field](address))
        refused = answer.status_code == 400 and any(
            error["field"] == name for error in answer.json()["errors"]
        )
        if not refused:
            accepted[address] = (answer.status_code, answer.text)
    assert accepted == {}


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    """With requests enough for all addresses."""
    return settings.model_copy(update={"agent_builder_per_minute": 10_000})


async def test_a_model_server_of_one_s_own_is_at_none_of_them(tenant: TenantClient) -> None:
    accepted = {}
    for address in (*blocked_addresses("http"), *blocked_addresses("https")):
        body = {"base_url": address, "models": ["m"], "verify": False}
        answer = await tenant.request("PUT", "/v1/provider-keys/openai_compatible", json=body)
        if answer.status_code != 400 or answer.json()["errors"][0]["field"] != "base_url":
            accepted[address] = (answer.status_code, answer.text)
    assert accepted == {}


async def test_a_company_page_is_fetched_from_none_of_them(
    tenant: TenantClient,
) -> None:
    fetched = {}
    for address in (*blocked_addresses("http"), *blocked_addresses("https")):
        answer = await tenant.post(
            "/v1/agents/enrich-company",
            {"companyName": "Bright Smiles", "websiteUrl": address},
        )
        # No text at all to PostgreSQL, and refused before any route.
        expected = 400 if "\x00" in address else 200
        if answer.status_code != expected or answer.json().get("enriched"):
            fetched[address] = (answer.status_code, answer.text)
    assert fetched == {}


async def test_a_page_of_a_knowledge_base_is_fetched_from_none_of_them(
    tenant: TenantClient,
) -> None:
    blocked = [
        address
        for address in (*blocked_addresses("http"), *blocked_addresses("https"))
        if address_in(address) == address and "\x00" not in address
    ]
    assert len(blocked) > 100
    fetched = set[str]()
    for first in range(0, len(blocked), MOST_PAGES):
        some = blocked[first : first + MOST_PAGES]
        agent = await tenant.post("/v1/agents", {"name": "x", "persona": {"knowledgeBase": some}})
        assert agent.status_code == 201, agent.text
        answer = await tenant.post("/v1/agents/validate-publish", {"agent_id": agent.json()["id"]})
        refused = {
            int(warning["field"].rpartition("[")[2][:-1])
            for warning in answer.json()["warnings"]
            if warning["code"] == "page_missing"
        }
        fetched |= {address for index, address in enumerate(some) if index not in refused}
    assert fetched == set()


async def test_a_knowledge_source_is_at_none_of_them(tenant: TenantClient) -> None:
    path = f"/v1/agents/{await tenant.agent()}/knowledge-sources"
    accepted = {}
    for address in (*blocked_addresses("http"), *blocked_addresses("https")):
        body = {"kind": "url", "title": "Page", "url": address}
        answer = await tenant.post(path, body)
        if answer.status_code != 400:
            accepted[address] = (answer.status_code, answer.text)
    assert accepted == {}


def test_no_other_field_holds_an_address() -> None:
    """A new one has to be put to the list above."""
    found = {
        path
        for model in (AgentConfig, CallWebhook, Mcp, Transfer)
        for path in _address_fields(model)
    }
    assert found - NEVER_CALLED == {
        "custom_llm_url",
        "custom_voice_url",
        "custom_transcriber_url",
        "url",
    }
    assert set(_address_fields(EnrichRequest)) == {"websiteUrl"}
    assert set(_address_fields(ProviderKeySet)) == {"base_url"}


def _address_fields(model: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in model.model_fields.items():
        words = name.lower().split("_")
        if any(word.endswith(("url", "website", "address", "host")) for word in words):
            yield prefix + name
        for part in (field.annotation, *get_args(field.annotation)):
            if isinstance(part, type) and issubclass(part, BaseModel):
                yield from _address_fields(part, f"{prefix}{name}.")
