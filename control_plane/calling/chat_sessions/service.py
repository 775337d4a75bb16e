"""Chats: beginning one, and answering a message in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import Depends
from sqlalchemy.ext.asyncio import AsyncSession
from starlette.requests import Request

from contracts.agent_config import AgentConfig
from contracts.call_plan import ResolvedChannel
from contracts.versions import read_object
from control_plane.calling.calls.creating.planning import PlanSources
from control_plane.calling.chat_sessions import repository
from control_plane.calling.chat_sessions.chat_agent import ChatAgent
from control_plane.calling.chat_sessions.conversation import (
    ChatMessage,
    Messages,
    ToolUse,
    documents_of,
    read_messages,
    unanswered_uses,
)
from control_plane.calling.chat_sessions.endpoints import (
    Access,
    ChatNetwork,
    access_of,
    falls_back_on_playbook,
)
from control_plane.calling.chat_sessions.errors import (
    ChatModelFailed,
    ChatSessionBusy,
    ChatSessionNotFound,
    ChatSessionOver,
    TooManyChatSessions,
)
from control_plane.calling.chat_sessions.freezing import new_chat
from control_plane.calling.chat_sessions.lifetime import (
    HOLD,
    IDLE,
    MOST_CHATS,
    MOST_MESSAGES,
    REPLY_SECONDS,
    expiry,
)
from control_plane.calling.chat_sessions.model_replies import model_reply
from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.calling.chat_sessions.playbook_replies import Dialogues, playbook_reply
from control_plane.calling.chat_sessions.replies import AgentReply
from control_plane.calling.chat_sessions.schemas import ChatSessionCreate
from control_plane.calling.chat_sessions.tool_runs import (
    CalledWebhooks,
    ReportedTools,
    ToolRuns,
    ToolsOfTurn,
)
from control_plane.money.spending.limits import Spending, meter
from control_plane.platform.database import Database, storable
from control_plane.platform.http.dependencies import AppDatabase, AppSettings
from control_plane.platform.language_model.failures import ModelFailed, unavailable
from control_plane.platform.settings import ControlPlaneSettings

_BUSY_RETRY_SECONDS = 2


@dataclass(frozen=True)
class ChatName:
    """Which chat a request is about."""

    tenant_id: UUID
    agent_id: UUID
    chat_id: UUID


@dataclass(frozen=True)
class ChatServices:
    database: Database
    settings: ControlPlaneSettings
    sources: PlanSources
    network: ChatNetwork
    dialogues: Dialogues


async def _chat_services(
    request: Request, database: AppDatabase, settings: AppSettings
) -> ChatServices:
    state = request.app.state
    network = ChatNetwork(settings, state.resolver)
    return ChatServices(database, settings, state.plan_sources, network, state.chat_dialogues)


AppChatServices = Annotated[ChatServices, Depends(_chat_services)]


async def begin(
    session: AsyncSession,
    services: ChatServices,
    tenant_id: UUID,
    agent_id: UUID,
    wanted: ChatSessionCreate,
) -> ChatSession:
    """Store a new chat.

    Raises:
        SpendingLimited: the tenant has had too many chats and messages in this minute or today.
        TooManyChatSessions: it has too many chats that have not expired.
        AgentNotFound, AgentAdminPaused, AgentNotPublishReady, InvalidRequest,
            ProviderKeyUnavailable, NoTextModel: see ``new_chat``.
    """
    # The tenant's other requests wait for its meter, so the chats are counted exactly.
    await meter(session, tenant_id, Spending.CHAT, services.settings)
    chats = await repository.count(session, tenant_id, datetime.now(UTC))
    if chats >= MOST_CHATS:
        wait = int(IDLE.total_seconds())
        raise TooManyChatSessions(MOST_CHATS, chats, retry_after_seconds=wait)
    providers = services.settings.available_providers
    chat = await new_chat(session, services.sources, tenant_id, agent_id, wanted, providers)
    session.add(chat)
    await session.flush()
    return chat


async def find(session: AsyncSession, name: ChatName) -> ChatSession:
    """Raises ``ChatSessionNotFound``."""
    now = datetime.now(UTC)
    found = await repository.find(session, name.tenant_id, name.agent_id, name.chat_id, now)
    if found is None:
        raise ChatSessionNotFound
    return found


async def remove(session: AsyncSession, name: ChatName) -> None:
    """Raises ``ChatSessionNotFound``."""
    now = datetime.now(UTC)
    if not await repository.remove(session, name.tenant_id, name.agent_id, name.chat_id, now):
        raise ChatSessionNotFound


async def say(services: ChatServices, name: ChatName, text: str) -> ChatSession:
    """Answer a message. No transaction is open while models and tools are asked.

    Raises:
        ChatSessionNotFound: there is no such chat, or it was deleted meanwhile.
        ChatSessionOver: the agent has ended it, or it is full.
        ChatSessionBusy: the agent is still answering another message.
        ProviderKeyUnavailable: the key of the agent's model is gone.
        ChatModelFailed: the agent's language model gave no answer. Nothing was stored, unless tools
            were called: those are not called again for the same words.
    """
    now = datetime.now(UTC)
    until = now + HOLD
    async with services.database.tenant_session(name.tenant_id) as session:
        chat = await _claimed(session, name, now, until)
        llm = read_object(ResolvedChannel, chat.llm)
        providers = await access_of(session, name.tenant_id, llm, services.settings)
    said = ChatMessage(role="caller", text=text, created_at=now)
    used: list[ToolUse] = []
    try:
        agent = await asyncio.to_thread(_agent_of, chat, llm)
        messages = (*read_messages(chat.messages), said)
        reply = await _reply(services, name.chat_id, agent, messages, providers, used)
    except BaseException as error:
        async with services.database.tenant_session(name.tenant_id) as session:
            if any(use.outcome != "would_call" for use in used):
                values = _values_with(chat, said, "", used)
                await repository.answer(session, name.tenant_id, name.chat_id, until, values)
            else:
                await repository.give_back(session, name.tenant_id, name.chat_id, until)
        if isinstance(error, ModelFailed):
            raise ChatModelFailed(error) from error
        raise
    async with services.database.tenant_session(name.tenant_id) as session:
        values = _values_with(chat, said, reply.text, used)
        values["collected"] = dict(reply.collected)
        values["ended_at"] = datetime.now(UTC) if reply.ends_chat else None
        answered = await repository.answer(session, name.tenant_id, name.chat_id, until, values)
    if answered is None:
        raise ChatSessionNotFound
    return answered


async def _claimed(
    session: AsyncSession, name: ChatName, now: datetime, until: datetime
) -> ChatSession:
    chat = await repository.claim(
        session, name.tenant_id, name.agent_id, name.chat_id, now=now, until=until
    )
    if chat is None:
        found = await find(session, name)
        if found.ended_at is None:
            raise ChatSessionBusy(_BUSY_RETRY_SECONDS)
        raise ChatSessionOver("The agent has ended this chat; start another one")
    if len(chat.messages) >= MOST_MESSAGES:
        raise ChatSessionOver(f"This chat has its {MOST_MESSAGES} messages; start another one")
    return chat


async def _reply(
    services: ChatServices,
    chat_id: UUID,
    agent: ChatAgent,
    messages: Messages,
    providers: Mapping[str, Access],
    used: list[ToolUse],
) -> AgentReply:
    """Adds to ``used`` what was used, even if it then raises ``ModelFailed``."""
    due_at = asyncio.get_running_loop().time() + REPLY_SECONDS

    async def of_playbook() -> AgentReply:
        return await playbook_reply(services.dialogues, chat_id, agent, messages, tools, due_at)

    async with _tools(services, agent) as runs:
        tools = ToolsOfTurn(runs, unanswered_uses(messages), used)
        if agent.has_playbook_engine:
            return await of_playbook()
        try:
            async with (
                asyncio.timeout_at(due_at),
                services.network.model(agent, providers) as model,
            ):
                return await model_reply(agent, messages, model, tools)
        except (ModelFailed, TimeoutError) as error:
            if falls_back_on_playbook(agent.llm):
                return await of_playbook()
            if isinstance(error, ModelFailed):
                raise
            raise unavailable(agent.llm.primary.provider, "did not answer in time") from None


@asynccontextmanager
async def _tools(services: ChatServices, agent: ChatAgent) -> AsyncIterator[ToolRuns]:
    if not agent.runs_tools:
        yield ReportedTools()
        return
    async with services.network.for_tools(agent.tenant_id) as http:
        yield CalledWebhooks(agent, http, services.settings.encryption_keys)


def _agent_of(chat: ChatSession, llm: ResolvedChannel) -> ChatAgent:
    return ChatAgent(
        tenant_id=chat.tenant_id,
        config=read_object(AgentConfig, chat.agent),
        compiled_prompt=chat.compiled_prompt,
        locale=chat.locale,
        llm=llm,
        variables=chat.variables,
        began_on=chat.created_at.date(),
        runs_tools=chat.run_tools,
    )


def _values_with(
    chat: ChatSession, said: ChatMessage, text: str, used: Sequence[ToolUse]
) -> dict[str, object]:
    now = datetime.now(UTC)
    answer = ChatMessage(role="agent", text=storable(text), created_at=now, tools=tuple(used))
    return {
        "messages": [*chat.messages, *documents_of([said, answer])],
        "expires_at": expiry(now),
    }
