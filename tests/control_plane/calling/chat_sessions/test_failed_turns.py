"""Turns whose model fails after it has called a webhook."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from control_plane.calling.chat_sessions.conversation import ToolUse
from control_plane.calling.chat_sessions.tool_runs import ToolsOfTurn
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.chat_sessions.chatting import CLINIC, begin, place, say, send
from tests.control_plane.conftest import TenantClient
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.openai_wire import OpenAIWire, calls, fails, says
from tests.stand_ins.tenant_api import Reply, TenantApi

MODEL = {"llm_provider": "openai", "llm_model": "gpt-4.1-mini"}
PLAYBOOK_BEHIND = {"llm_fallback_provider": "local", "llm_fallback_model": "playbook"}
PERSON = {"full_name": "Ada Lovelace", "phone_number": "212 555 0142"}
BOOKS = calls("book", json.dumps(PERSON))


@pytest.fixture
async def wire() -> AsyncIterator[OpenAIWire]:
    async with OpenAIWire().serving() as wire:
        yield wire


@pytest.fixture
def settings(settings: ControlPlaneSettings, wire: OpenAIWire) -> ControlPlaneSettings:
    return settings.model_copy(
        update={
            "outbound_allowed_networks": ("127.0.0.1/32",),
            "provider_keys": frozenset({"openai"}),
            "provider_api_keys": {"openai": "sk-platform-abcdefgh"},
            "provider_base_urls": {"openai": wire.base_url},
        }
    )


@pytest.fixture
async def clinic_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TenantApi]:
    served, trusting = self_signed_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setattr("outbound.client.system_tls", lambda: trusting)
    async with TenantApi([Reply("booked")]).serving(served) as api:
        yield api


def booking(api: TenantApi) -> dict[str, Any]:
    properties = {name: {"type": "string"} for name in PERSON}
    return {
        "type": "call_webhook",
        "name": "book",
        "description": "Books an appointment.",
        "url": f"{api.url}/book",
        "parameters": {"type": "object", "properties": properties, "required": list(PERSON)},
    }


def answering(wire: OpenAIWire, *answers: Any) -> None:
    wire._answers = list(answers)


async def test_a_message_that_is_sent_again_does_not_call_a_webhook_again(
    tenant: TenantClient, wire: OpenAIWire, clinic_api: TenantApi
) -> None:
    agent_id = await tenant.published_agent(**CLINIC, **MODEL, tools=[booking(clinic_api)])
    chat = await begin(tenant, agent_id, run_tools=True)
    answering(wire, BOOKS, fails(500), BOOKS, says("You have an appointment."))
    assert (await send(tenant, chat, "Book me in.")).status_code == 502
    said = await say(tenant, chat, "Book me in.")
    assert said["reply"]["text"] == "You have an appointment."
    assert len(clinic_api.asked) == 1
    told = wire.requests[2]["messages"]
    assert [each["role"] for each in told] == [
        *("system", "assistant", "user", "assistant", "tool", "user")
    ]
    assert told[4]["content"] == "booked"
    stored = (await tenant.get(place(chat))).json()["messages"]
    assert [use["outcome"] for message in stored for use in message["tools"]] == ["done"]


async def test_the_playbook_does_not_do_again_what_the_failed_model_has_done(
    tenant: TenantClient, wire: OpenAIWire, clinic_api: TenantApi
) -> None:
    agent_id = await tenant.published_agent(
        **CLINIC, **MODEL, **PLAYBOOK_BEHIND, tools=[booking(clinic_api)]
    )
    chat = await begin(tenant, agent_id, run_tools=True)
    answering(wire, fails(500))
    for line in ("I need an appointment.", "Ada Lovelace", "212 555 0142"):
        await say(tenant, chat, line)
    answering(wire, BOOKS, fails(500))
    said = await say(tenant, chat, "Yes.")
    assert "You are booked." in said["reply"]["text"]
    assert [use["outcome"] for use in said["reply"]["tools"]] == ["done"]
    assert len(clinic_api.asked) == 1


async def test_a_webhook_that_nobody_waits_for_any_longer_counts_as_used() -> None:
    class Hanging:
        async def use(self, name: str, arguments: Mapping[str, Any]) -> ToolUse:
            return await asyncio.get_running_loop().create_future()

    used: list[ToolUse] = []
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await ToolsOfTurn(Hanging(), (), used).use("book", PERSON)
    assert [(use.name, use.arguments, use.outcome) for use in used] == [("book", PERSON, "failed")]
