"""``/v1/agents/{agent_id}/chat-sessions``."""

from __future__ import annotations

from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Body, Depends, status

from control_plane.building.agents.errors import AgentNotFound, AgentNotPublishReady
from control_plane.calling.calls.errors import ProviderKeyUnavailable
from control_plane.calling.chat_sessions import service
from control_plane.calling.chat_sessions.errors import (
    ChatModelFailed,
    ChatSessionBusy,
    ChatSessionNotFound,
    ChatSessionOver,
    NoTextModel,
    TooManyChatSessions,
)
from control_plane.calling.chat_sessions.schemas import (
    ChatMessageCreate,
    ChatReply,
    ChatSessionCreate,
    ChatSessionDeleted,
    ChatSessionView,
)
from control_plane.calling.chat_sessions.service import AppChatServices, ChatName
from control_plane.calling.chat_sessions.views import reply_view, session_view
from control_plane.calling.pauses.errors import AgentAdminPaused
from control_plane.identity.authentication.dependencies import MemberCaller, TenantSession
from control_plane.identity.authentication.refusals import MEMBER_ONLY
from control_plane.identity.idempotent_requests.route import IdempotentRoute, OncePerKey
from control_plane.identity.idempotent_requests.two_phase import EffectOncePerKey
from control_plane.money.spending.dependencies import MeteredChat
from control_plane.money.spending.errors import SpendingLimited
from control_plane.platform.http.openapi import problems
from control_plane.platform.idempotency.errors import IdempotencyKeyInUse

router = APIRouter(
    prefix="/v1/agents/{agent_id}/chat-sessions",
    tags=["chat"],
    responses=problems(*MEMBER_ONLY),
    route_class=IdempotentRoute,
)


async def _chat_name(agent_id: UUID, chat_session_id: UUID, caller: MemberCaller) -> ChatName:
    return ChatName(caller.tenant_id, agent_id, chat_session_id)


NamedChat = Annotated[ChatName, Depends(_chat_name)]


@router.post(
    "",
    status_code=status.HTTP_201_CREATED,
    responses=problems(
        *MEMBER_ONLY,
        SpendingLimited,
        TooManyChatSessions,
        AgentNotFound,
        AgentAdminPaused,
        AgentNotPublishReady,
        ProviderKeyUnavailable,
        NoTextModel,
    ),
)
async def create_chat_session(
    agent_id: UUID,
    caller: MemberCaller,
    session: TenantSession,
    services: AppChatServices,
    _: OncePerKey,
    wanted: Annotated[ChatSessionCreate | None, Body()] = None,
) -> ChatSessionView:
    """Begin a chat with an agent: what it would say in a call, in text, at once and free.

    The agent answers with its own language model, or with the playbook engine. It stays as it is
    now until the chat ends. Tools are only reported unless ``run_tools`` is set; those of MCP
    servers are not offered.
    """
    chat = await service.begin(
        session, services, caller.tenant_id, agent_id, wanted or ChatSessionCreate()
    )
    return session_view(chat)


@router.get("/{chat_session_id}", responses=problems(*MEMBER_ONLY, ChatSessionNotFound))
async def get_chat_session(name: NamedChat, session: TenantSession) -> ChatSessionView:
    """A chat with everything that was said. It expires one hour after its last message."""
    return session_view(await service.find(session, name))


@router.post(
    "/{chat_session_id}/messages",
    responses=problems(
        *MEMBER_ONLY,
        IdempotencyKeyInUse,
        SpendingLimited,
        ChatSessionNotFound,
        ChatSessionOver,
        ChatSessionBusy,
        ProviderKeyUnavailable,
        ChatModelFailed,
    ),
)
async def send_chat_message(
    name: NamedChat,
    message: ChatMessageCreate,
    services: AppChatServices,
    _: EffectOncePerKey,
    _metered: MeteredChat,
) -> ChatReply:
    """Say something to the agent, and get its answer.

    If its language model fails, send the message again: nothing is stored except for what webhooks
    did before, and they are not called again with the same arguments.
    """
    return reply_view(await service.say(services, name, message.text))


@router.delete("/{chat_session_id}", responses=problems(*MEMBER_ONLY, ChatSessionNotFound))
async def delete_chat_session(name: NamedChat, session: TenantSession) -> ChatSessionDeleted:
    """Delete a chat."""
    await service.remove(session, name)
    return ChatSessionDeleted(id=name.chat_id)
