"""Chats with agents that have a language model: who is asked, with whose key, and what fails."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from control_plane.platform.settings import ControlPlaneSettings
from pipelines.texts.moment import moment_section
from tests.control_plane.calling.chat_sessions.chatting import CLINIC, begin, place, say, send
from tests.control_plane.conftest import OPERATOR, TenantClient
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.openai_wire import OpenAIWire, calls, fails, refuses, says, sends

PLATFORM_KEY = "sk-platform-abcdefgh"
OWN_KEY = "sk-own-abcdefgh-4321"
MODEL = {"llm_provider": "openai", "llm_model": "gpt-4.1-mini"}
TOOL = {
    "type": "call_webhook",
    "name": "find_slot",
    "description": "Finds a free appointment.",
    "url": "https://example.com/slots",
    "parameters": {"type": "object", "properties": {"day": {"type": "string"}}},
}


@pytest.fixture
async def wire() -> AsyncIterator[OpenAIWire]:
    async with OpenAIWire([says("We open at nine.")]).serving() as wire:
        yield wire


@pytest.fixture
def settings(settings: ControlPlaneSettings, wire: OpenAIWire) -> ControlPlaneSettings:
    return settings.model_copy(
        update={
            "provider_keys": frozenset({"openai"}),
            "provider_api_keys": {"openai": PLATFORM_KEY},
            "provider_base_urls": {
                "openai": wire.base_url,
                "anthropic": wire.base_url.removesuffix("/v1"),
            },
        }
    )


def answering(wire: OpenAIWire, *answers: Any) -> None:
    wire._answers = list(answers)


async def test_the_agents_model_answers_with_its_prompt_and_all_that_was_said(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL))
    assert (chat["provider"], chat["model"]) == ("openai", "gpt-4.1-mini")
    said = await say(tenant, chat, "When do you open?")
    assert said["reply"]["text"] == "We open at nine."
    await say(tenant, chat, "Thanks.")
    first, second = wire.requests
    assert "Bright Smile" in first["messages"][0]["content"]
    assert first["messages"][0]["role"] == "system"
    assert [each["content"] for each in first["messages"][1:]] == [
        "Hello, this is Mia of Bright Smile. How can I help?",
        "When do you open?",
    ]
    assert [each["role"] for each in second["messages"][1:]] == [
        *("assistant", "user", "assistant", "user")
    ]
    assert wire.authorizations == [f"Bearer {PLATFORM_KEY}"] * 2


@pytest.mark.parametrize("prompt_mode", ["builder", "raw"])
async def test_the_model_knows_what_day_it_is_unless_its_owner_writes_all_of_the_prompt(
    tenant: TenantClient, wire: OpenAIWire, prompt_mode: str
) -> None:
    own = {"system_prompt": "You are Mia.", "advanced": {"prompt_mode": prompt_mode}}
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL, **own))
    await say(tenant, chat, "Is tomorrow free?")
    prompt = wire.requests[0]["messages"][0]["content"]
    began = datetime.fromisoformat(chat["created_at"]).astimezone()
    told = prompt.endswith(f"\n\n{moment_section(began)}")
    assert told is (prompt_mode == "builder")
    assert prompt_mode == "builder" or prompt == "You are Mia."


async def test_the_tenants_own_key_is_used_where_it_has_one(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    body = {"key": OWN_KEY, "verify": False}
    assert (await tenant.request("PUT", "/v1/provider-keys/openai", json=body)).is_success
    agent_id = await tenant.published_agent(**CLINIC, **MODEL)
    chat = await begin(tenant, agent_id)
    await say(tenant, chat, "When do you open?")
    assert wire.authorizations == [f"Bearer {OWN_KEY}"]
    await tenant.request("DELETE", "/v1/provider-keys/openai")
    gone = await send(tenant, chat, "And on Sunday?")
    assert (gone.status_code, gone.json()["code"]) == (422, "provider_key_unavailable")


async def test_tools_are_reported_and_not_called(tenant: TenantClient, wire: OpenAIWire) -> None:
    agent_id = await tenant.published_agent(**CLINIC, **MODEL, tools=[TOOL])
    chat = await begin(tenant, agent_id)
    answering(wire, calls("find_slot", '{"day": "Monday"}'), says("Monday at ten is free."))
    said = await say(tenant, chat, "Is Monday free?")
    assert said["reply"]["text"] == "Monday at ten is free."
    assert said["reply"]["tools"] == [
        {
            "name": "find_slot",
            "arguments": {"day": "Monday"},
            "outcome": "would_call",
            "result": None,
        }
    ]
    offered = [each["function"]["name"] for each in wire.requests[0]["tools"]]
    assert offered == ["end_call", "find_slot"]
    told = wire.requests[1]["messages"][-1]
    assert told["role"] == "tool"
    assert "not called" in told["content"]
    await say(tenant, chat, "Thanks.")
    roles = [each["role"] for each in wire.requests[2]["messages"]]
    assert roles == ["system", "assistant", "user", "assistant", "tool", "assistant", "user"]


@pytest.mark.parametrize(
    ("arguments", "stored"),
    [
        # What some models make of "Freitag früh": half of the escape is missing.
        (r'{"day": "Freitag fr\u0000fch"}', {"day": "Freitag frfch"}),
        (r'{"day": "\ud83d Monday"}', {}),
        ('{"day": "Monday", "weight": NaN}', {}),
    ],
)
async def test_arguments_that_cannot_be_stored_do_not_cost_the_reply(
    tenant: TenantClient, wire: OpenAIWire, arguments: str, stored: dict[str, str]
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL, tools=[TOOL]))
    answering(wire, calls("find_slot", arguments), says("Ten is free."))
    said = await say(tenant, chat, "Is it free?")
    assert said["reply"]["text"] == "Ten is free."
    assert [each["arguments"] for each in said["reply"]["tools"]] == [stored]


async def test_end_call_ends_the_chat_with_the_words_before_it(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL))
    answering(wire, calls("end_call", after_saying="Goodbye."))
    said = await say(tenant, chat, "Bye.")
    assert (said["reply"]["text"], said["reply"]["tools"]) == ("Goodbye.", [])
    assert said["session"]["status"] == "ended"
    assert len(wire.requests) == 1


async def test_a_model_that_only_uses_tools_is_stopped(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL, tools=[TOOL]))
    answering(wire, calls("find_slot"))
    refused = await send(tenant, chat, "Is Monday free?")
    assert (refused.status_code, refused.json()["code"]) == (502, "chat_model_failed")
    assert refused.json()["reason"] == "answer_unusable"
    assert len(wire.requests) == 4


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (fails(401), "provider_refused"),
        (fails(500), "provider_unavailable"),
        (refuses("No."), "request_refused"),
        (sends(b"<html>"), "provider_unavailable"),
        (sends(b'{"choices": []}'), "provider_unavailable"),
        (says(""), "answer_unusable"),
    ],
)
async def test_a_model_that_fails_leaves_the_chat_as_it_was(
    tenant: TenantClient, wire: OpenAIWire, answer: Any, reason: str
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL))
    answering(wire, answer, says("We open at nine."))
    failed = await send(tenant, chat, "When do you open?")
    assert (failed.status_code, failed.json()["code"]) == (502, "chat_model_failed")
    assert failed.json()["reason"] == reason
    assert PLATFORM_KEY not in failed.text
    assert len((await tenant.get(place(chat))).json()["messages"]) == 1
    assert (await say(tenant, chat, "When do you open?"))["reply"]["text"] == "We open at nine."


async def test_the_fallback_answers_when_the_model_fails(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    """At the address that Anthropic has for requests in OpenAI's form."""
    body = {"key": OWN_KEY, "verify": False}
    assert (await tenant.request("PUT", "/v1/provider-keys/anthropic", json=body)).is_success
    fallback = {"llm_fallback_provider": "anthropic", "llm_fallback_model": "claude-haiku-4-5"}
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL, **fallback))
    wire.valid_keys = {OWN_KEY}
    assert (await say(tenant, chat, "When do you open?"))["reply"]["text"] == "We open at nine."
    assert wire.authorizations == [f"Bearer {PLATFORM_KEY}", f"Bearer {OWN_KEY}"]
    assert [each["model"] for each in wire.requests] == ["claude-haiku-4-5"]


async def test_what_the_agent_must_not_claim_is_not_said(
    tenant: TenantClient, wire: OpenAIWire
) -> None:
    strict = {"advanced": {"prohibitedClaims": "completely painless"}}
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **MODEL, **strict))
    answering(wire, says("We open at nine. It is completely painless."))
    said = await say(tenant, chat, "Does it hurt?")
    assert said["reply"]["text"].startswith("We open at nine.")
    assert "painless" not in said["reply"]["text"]


async def test_a_tenants_own_endpoint_is_asked_without_any_key(
    tenant: TenantClient, app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_tls, client_tls = trusted(tmp_path)
    monkeypatch.setattr("outbound.client.system_tls", lambda: client_tls)
    loopback = {"outbound_allowed_networks": ("127.0.0.1/32",)}
    app.state.settings = app.state.settings.model_copy(update=loopback)
    tier = {"tier": "enterprise"}
    operated = f"/v1/operator/tenants/{tenant.tenant_id}"
    assert (await tenant.http.patch(operated, headers=OPERATOR, json=tier)).is_success
    async with OpenAIWire([says("From my own server.")], tls=server_tls).serving() as own:
        url = f"{own.base_url}/chat/completions?region=eu"
        chat = await begin(tenant, await tenant.published_agent(**CLINIC, custom_llm_url=url))
        said = await say(tenant, chat, "Hello?")
    assert said["reply"]["text"] == "From my own server."
    assert own.authorizations == [""]
    assert own.paths == ["/v1/chat/completions?region=eu"]


async def test_an_endpoint_in_a_private_network_is_not_asked(
    tenant: TenantClient, app: FastAPI, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server_tls, client_tls = trusted(tmp_path)
    monkeypatch.setattr("outbound.client.system_tls", lambda: client_tls)
    allowed = app.state.settings
    loopback = {"outbound_allowed_networks": ("127.0.0.1/32",)}
    app.state.settings = allowed.model_copy(update=loopback)
    operated = f"/v1/operator/tenants/{tenant.tenant_id}"
    tier = {"tier": "enterprise"}
    assert (await tenant.http.patch(operated, headers=OPERATOR, json=tier)).is_success
    async with OpenAIWire(tls=server_tls).serving() as own:
        chat = await begin(
            tenant, await tenant.published_agent(**CLINIC, custom_llm_url=own.base_url)
        )
        app.state.settings = allowed
        refused = await send(tenant, chat, "Hello?")
    assert (refused.status_code, refused.json()["code"]) == (502, "chat_model_failed")
    assert own.requests == []


def trusted(tmp_path: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """For a server on 127.0.0.1, and for a client that trusts only it."""
    return self_signed_certificate(tmp_path, "127.0.0.1")
