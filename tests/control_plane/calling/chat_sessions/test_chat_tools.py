"""Webhooks in chats that run them, against a real HTTPS server."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from control_plane.calling.chat_sessions import service
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.chat_sessions.chatting import CLINIC, begin, say
from tests.control_plane.conftest import TenantClient
from tests.outbound.self_signed import self_signed_certificate
from tests.stand_ins.tenant_api import Reply, TenantApi

SECRET = "Bearer hush-hush-hush"


@pytest.fixture
def settings(settings: ControlPlaneSettings) -> ControlPlaneSettings:
    return settings.model_copy(update={"outbound_allowed_networks": ("127.0.0.1/32",)})


@pytest.fixture
async def clinic_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[TenantApi]:
    served, trusting = self_signed_certificate(tmp_path, "127.0.0.1")
    monkeypatch.setattr("outbound.client.system_tls", lambda: trusting)
    async with TenantApi([Reply(f"booked for {SECRET}")]).serving(served) as api:
        yield api


async def booking_agent(tenant: TenantClient, api: TenantApi) -> UUID:
    tool = {
        "type": "call_webhook",
        "name": "book",
        "description": "Books an appointment.",
        "url": f"{api.url}/book",
        "headers": {"Authorization": SECRET},
        "parameters": {
            "type": "object",
            "properties": {"full_name": {"type": "string"}, "phone_number": {"type": "string"}},
            "required": ["full_name", "phone_number"],
        },
    }
    return await tenant.published_agent(**CLINIC, tools=[tool])


async def booked(tenant: TenantClient, agent_id: UUID, **wanted: Any) -> dict[str, Any]:
    """The reply in which the agent uses its tool."""
    chat = await begin(tenant, agent_id, **wanted)
    for line in ("I need an appointment.", "Ada Lovelace", "212 555 0142", "Yes."):
        said = await say(tenant, chat, line)
    return said


async def test_nothing_is_called_unless_the_chat_says_so(
    tenant: TenantClient, clinic_api: TenantApi
) -> None:
    said = await booked(tenant, await booking_agent(tenant, clinic_api))
    assert clinic_api.asked == []
    assert [(use["name"], use["outcome"]) for use in said["reply"]["tools"]] == [
        ("book", "would_call")
    ]
    assert said["reply"]["tools"][0]["arguments"]["full_name"] == "Ada Lovelace"
    assert "You are booked." in said["reply"]["text"]


async def test_a_chat_that_runs_tools_calls_the_webhook_with_its_secret_once(
    tenant: TenantClient, clinic_api: TenantApi
) -> None:
    said = await booked(tenant, await booking_agent(tenant, clinic_api), run_tools=True)
    (asked,) = clinic_api.asked
    assert json.loads(asked.text)["full_name"] == "Ada Lovelace"
    assert asked.headers["Authorization"] == SECRET
    (use,) = said["reply"]["tools"]
    assert use["outcome"] == "done"
    assert "hush" not in use["result"]
    assert "You are booked." in said["reply"]["text"]


async def test_the_agent_does_not_claim_what_a_failed_tool_did_not_do(
    tenant: TenantClient, clinic_api: TenantApi
) -> None:
    clinic_api._replies = [Reply("no", status=500)]
    said = await booked(tenant, await booking_agent(tenant, clinic_api), run_tools=True)
    assert said["reply"]["tools"][0]["outcome"] == "failed"
    assert "You are booked." not in said["reply"]["text"]


async def test_all_webhooks_of_a_reply_together_have_the_time_of_one_reply(
    tenant: TenantClient, clinic_api: TenantApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "REPLY_SECONDS", 1.0)
    clinic_api._replies = [Reply("booked", delay_seconds=60)]
    said = await booked(tenant, await booking_agent(tenant, clinic_api), run_tools=True)
    (use,) = said["reply"]["tools"]
    assert use["outcome"] == "failed"
    assert "no time left" in use["result"]
    assert "You are booked." not in said["reply"]["text"]
