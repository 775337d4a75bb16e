"""Chats with agents over the API."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import httpx2

from tests.control_plane.conftest import TenantClient

CLINIC: dict[str, Any] = {
    "name": "Mia",
    "persona": {
        "name": "Mia",
        "companyName": "Bright Smile",
        "knowledgeBase": ["We are open from nine to five, Monday to Friday."],
    },
    "playbook": {
        "opener": "Hello, this is Mia of Bright Smile. How can I help?",
        "requiredSlots": [
            {"name": "full_name", "description": "The caller's full name", "required": True},
            {"name": "phone_number", "description": "A phone number", "required": True},
        ],
        "closingCTA": "You are booked.",
    },
}


async def begin(tenant: TenantClient, agent_id: UUID, **wanted: Any) -> dict[str, Any]:
    answer = await tenant.post(f"/v1/agents/{agent_id}/chat-sessions", wanted)
    assert answer.status_code == 201, answer.text
    begun: dict[str, Any] = answer.json()
    return begun


def place(chat: dict[str, Any]) -> str:
    return f"/v1/agents/{chat['agent_id']}/chat-sessions/{chat['id']}"


async def send(tenant: TenantClient, chat: dict[str, Any], text: str) -> httpx2.Response:
    return await tenant.post(f"{place(chat)}/messages", {"text": text})


async def say(tenant: TenantClient, chat: dict[str, Any], text: str) -> dict[str, Any]:
    answer = await send(tenant, chat, text)
    assert answer.status_code == 200, answer.text
    said: dict[str, Any] = answer.json()
    return said
