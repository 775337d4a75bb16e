"""Chats with the playbook engine: one agent, one row, any process of the API."""

from __future__ import annotations

from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any
from uuid import UUID, uuid4

import httpx2
import pytest
from fastapi import FastAPI
from sqlalchemy import func, select, update
from sqlalchemy.ext.asyncio import AsyncSession

from control_plane.app import create_app
from control_plane.calling.calls.models import Call
from control_plane.calling.chat_sessions import lifetime, repository, service, tasks
from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.platform import batched_deletion
from control_plane.platform.database import Database
from control_plane.platform.job_queue import job_resources
from control_plane.platform.settings import ControlPlaneSettings
from tests.control_plane.calling.chat_sessions.chatting import CLINIC, begin, place, say, send
from tests.control_plane.conftest import OPERATOR, TenantClient


async def change(database: Database, chat: dict[str, Any], **values: Any) -> None:
    async with database.system_session() as session:
        of_chat = ChatSession.id == UUID(chat["id"])
        await session.execute(update(ChatSession).where(of_chat).values(values))


def problem(answer: httpx2.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_the_greeting_is_the_first_message(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    chat = await begin(tenant, agent_id)
    assert [(each["role"], each["text"]) for each in chat["messages"]] == [
        ("agent", "Hello, this is Mia of Bright Smile. How can I help?")
    ]
    assert (chat["agent_version"], chat["status"]) == (1, "open")
    assert (chat["provider"], chat["model"]) == ("local", "playbook")


async def test_an_agent_that_waits_for_the_caller_says_nothing_first(tenant: TenantClient) -> None:
    waiting = {"advanced": {"startSpeakingPhrasing": "wait_for_user"}}
    chat = await begin(tenant, await tenant.published_agent(**CLINIC, **waiting))
    assert chat["messages"] == []
    assert "this is Mia" in (await say(tenant, chat, "Hello?"))["reply"]["text"]


async def test_the_agent_collects_what_it_needs_and_ends_the_chat(tenant: TenantClient) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    for line in ("I need an appointment.", "Ada Lovelace", "212 555 0142", "Yes."):
        said = await say(tenant, chat, line)
    assert said["session"]["collected"]["full_name"] == "Ada Lovelace"
    assert said["session"]["collected"]["phone_number"].endswith("2125550142")
    assert "You are booked." in said["reply"]["text"]
    ended = await say(tenant, chat, "No, thank you. Goodbye.")
    assert ended["session"]["status"] == "ended"
    assert ended["session"]["ended_at"] is not None
    assert problem(await send(tenant, chat, "Are you there?")) == (409, "chat_session_over")
    kept = (await tenant.get(place(chat))).json()
    assert len(kept["messages"]) == 1 + 2 * 5
    assert kept["messages"][-1] == ended["reply"]


async def test_another_process_goes_on_where_one_stopped(
    tenant: TenantClient, settings: ControlPlaneSettings
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    await say(tenant, chat, "I need an appointment.")
    other = create_app(settings)
    transport = httpx2.ASGITransport(app=other)
    async with (
        other.router.lifespan_context(other),
        httpx2.AsyncClient(transport=transport, base_url="http://switchboard.test") as http,
    ):
        there = TenantClient(tenant.tenant_id, tenant.key, http)
        said = await say(there, chat, "Ada Lovelace")
    assert said["session"]["collected"]["full_name"] == "Ada Lovelace"


async def test_a_chat_keeps_the_agent_that_it_began_with(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    chat = await begin(tenant, agent_id)
    await tenant.request("PATCH", f"/v1/agents/{agent_id}", json={"persona": {"name": "Zed"}})
    await tenant.post(f"/v1/agents/{agent_id}/publish")
    assert "Mia" in (await say(tenant, chat, "What is your name?"))["reply"]["text"]
    assert (await begin(tenant, agent_id))["agent_version"] == 2


async def test_a_draft_can_be_tried_before_it_is_published(tenant: TenantClient) -> None:
    agent_id = await tenant.agent(**CLINIC)
    path = f"/v1/agents/{agent_id}/chat-sessions"
    assert problem(await tenant.post(path)) == (409, "agent_not_publish_ready")
    chat = await begin(tenant, agent_id, version="draft")
    assert chat["agent_version"] is None
    answered = await say(tenant, chat, "When are you open?")
    assert "nine to five" in answered["reply"]["text"]


async def test_variables_and_the_language_are_those_of_the_chat(tenant: TenantClient) -> None:
    playbook = CLINIC["playbook"] | {"opener": "Hello {{ first_name }}, {{ missing }} this is Mia."}
    fields = CLINIC | {"playbook": playbook, "supported_languages": ["en-US", "en-GB"]}
    agent_id = await tenant.published_agent(**fields)
    chat = await begin(tenant, agent_id, variables={"first_name": "Ada"}, locale="en-GB")
    assert chat["messages"][0]["text"].startswith("Hello Ada,")
    assert chat["locale"] == "en-GB"
    assert "missing" in chat["warnings"][0]
    path = f"/v1/agents/{agent_id}/chat-sessions"
    refused = await tenant.post(path, {"locale": "fr-FR"})
    assert problem(refused) == (400, "invalid_request")
    assert "en-US" in refused.json()["detail"]


async def test_a_chat_is_no_call_and_costs_nothing(
    tenant: TenantClient, database: Database
) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    before = (await tenant.get("/v1/billing/balance")).json()
    chat = await begin(tenant, agent_id)
    await say(tenant, chat, "I need an appointment.")
    assert (await tenant.get("/v1/billing/balance")).json() == before
    async with database.tenant_session(tenant.tenant_id) as session:
        assert await session.scalar(select(func.count()).select_from(Call)) == 0


async def test_a_repeated_message_is_answered_once(tenant: TenantClient) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    answers = [
        await tenant.http.post(
            f"{place(chat)}/messages",
            headers=tenant.headers | {"Idempotency-Key": "once"},
            json={"text": "I need an appointment."},
        )
        for _ in range(2)
    ]
    assert answers[0].json() == answers[1].json()
    assert len((await tenant.get(place(chat))).json()["messages"]) == 3


async def test_a_deleted_chat_is_gone(tenant: TenantClient) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    removed = await tenant.request("DELETE", place(chat))
    assert removed.json() == {"status": "deleted", "id": chat["id"]}
    for answer in (await tenant.get(place(chat)), await send(tenant, chat, "Hello?")):
        assert problem(answer) == (404, "chat_session_not_found")


async def test_an_expired_chat_is_not_found_and_is_deleted(
    tenant: TenantClient, database: Database
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    await change(database, chat, expires_at=func.now() - timedelta(seconds=1))
    assert problem(await tenant.get(place(chat))) == (404, "chat_session_not_found")
    async with database.system_session() as session:
        now = await session.scalar(select(func.now()))
        assert now is not None
        await repository.delete_expired(session, now, most=10)
        assert await session.get(ChatSession, UUID(chat["id"])) is None


async def test_many_expired_chats_are_deleted_in_several_transactions(
    tenant: TenantClient, database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A transaction that takes too long is undone, and what was said would stay for good."""
    agent_id = await tenant.published_agent(**CLINIC)
    for _ in range(3):
        chat = await begin(tenant, agent_id)
        await change(database, chat, expires_at=func.now() - timedelta(seconds=1))
    kept = await begin(tenant, agent_id)
    deleted: list[int] = []

    async def noted(session: AsyncSession, now: datetime, *, most: int) -> int:
        deleted.append(await repository.delete_expired(session, now, most=most))
        return deleted[-1]

    monkeypatch.setattr(tasks, "delete_expired", noted)
    monkeypatch.setattr(batched_deletion, "DELETED_TOGETHER", 2)
    context: Any = SimpleNamespace(additional_context=job_resources(database))
    await tasks.delete_expired_chats(context, timestamp=0)
    assert deleted == [2, 1]
    assert (await tenant.get(place(kept))).status_code == 200


async def test_each_message_lets_the_chat_live_for_another_hour(
    tenant: TenantClient, database: Database
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    await change(database, chat, expires_at=func.now() + timedelta(minutes=1))
    said = await say(tenant, chat, "I need an appointment.")
    assert said["session"]["expires_at"] > chat["expires_at"]


async def test_two_messages_at_once_are_not_answered_at_once(
    tenant: TenantClient, database: Database
) -> None:
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    await change(database, chat, answering_until=func.now() + timedelta(minutes=1))
    busy = await send(tenant, chat, "Hello?")
    assert problem(busy) == (409, "chat_session_busy")
    assert busy.headers["retry-after"] in busy.json()["detail"]
    await change(database, chat, answering_until=func.now() - timedelta(seconds=1))
    await say(tenant, chat, "Hello?")


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"text": "   "}, "text"),
        ({"text": "x" * 4_001}, "text"),
        ({"text": "Hi", "speed": 2}, "speed"),
        ({}, "text"),
    ],
)
async def test_a_wrong_message_is_400_and_names_the_field(
    tenant: TenantClient, body: dict[str, Any], field: str
) -> None:
    path = f"/v1/agents/{uuid4()}/chat-sessions/{uuid4()}/messages"
    answer = await tenant.post(path, body)
    assert problem(answer) == (400, "invalid_request")
    assert answer.json()["errors"][0]["field"] == field


async def test_a_full_chat_takes_no_more_messages(
    tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_MESSAGES", 3)
    chat = await begin(tenant, await tenant.published_agent(**CLINIC))
    await say(tenant, chat, "I need an appointment.")
    for _ in range(2):
        refused = await send(tenant, chat, "Ada Lovelace")
        assert problem(refused) == (409, "chat_session_over")
        assert "3 messages" in refused.json()["detail"]


async def test_a_tenant_has_only_so_many_chats(
    tenant: TenantClient, other_tenant: TenantClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_CHATS", 2)
    agent_id = await tenant.published_agent(**CLINIC)
    chats = [await begin(tenant, agent_id) for _ in range(2)]
    refused = await tenant.post(f"/v1/agents/{agent_id}/chat-sessions")
    assert problem(refused) == (429, "too_many_chat_sessions")
    assert (refused.json()["limit"], refused.json()["used"]) == (2, 2)
    await begin(other_tenant, await other_tenant.published_agent(**CLINIC))
    await tenant.request("DELETE", place(chats[0]))
    await begin(tenant, agent_id)


async def test_chats_and_messages_share_one_meter(tenant: TenantClient, app: FastAPI) -> None:
    app.state.settings = app.state.settings.model_copy(update={"chat_per_minute": 2})
    agent_id = await tenant.published_agent(**CLINIC)
    chat = await begin(tenant, agent_id)
    await say(tenant, chat, "I need an appointment.")
    for refused in (
        await send(tenant, chat, "Ada Lovelace"),
        await tenant.post(f"/v1/agents/{agent_id}/chat-sessions"),
    ):
        assert problem(refused) == (429, "spending_limited")
        assert (refused.json()["policy"], refused.json()["limit"]) == ("minute", 2)


async def test_a_paused_agent_does_not_chat(tenant: TenantClient) -> None:
    agent_id = await tenant.published_agent(**CLINIC)
    path = f"/v1/operator/agents/{agent_id}/pause"
    paused = await tenant.http.post(path, headers=OPERATOR, json={"reason": "Complaints"})
    assert paused.is_success, paused.text
    refused = await tenant.post(f"/v1/agents/{agent_id}/chat-sessions", {"version": "draft"})
    assert problem(refused) == (423, "agent_admin_paused")


def test_a_chat_is_held_for_longer_than_any_reply_takes() -> None:
    assert lifetime.HOLD.total_seconds() > lifetime.REPLY_SECONDS
