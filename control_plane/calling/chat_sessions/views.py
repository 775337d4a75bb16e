"""Chats as clients see them."""

from __future__ import annotations

from typing import Any

from contracts.call_plan import ResolvedChannel
from contracts.versions import read_object
from control_plane.calling.chat_sessions.conversation import read_messages
from control_plane.calling.chat_sessions.models import ChatSession
from control_plane.calling.chat_sessions.schemas import (
    ChatMessageView,
    ChatReply,
    ChatSessionState,
    ChatSessionView,
)


def session_view(chat: ChatSession) -> ChatSessionView:
    messages = [ChatMessageView.model_validate(each) for each in read_messages(chat.messages)]
    return ChatSessionView(**_state(chat), messages=messages)


def reply_view(chat: ChatSession) -> ChatReply:
    """``chat`` ends with the reply."""
    newest = read_messages(chat.messages[-1:])[0]
    return ChatReply(
        reply=ChatMessageView.model_validate(newest), session=ChatSessionState(**_state(chat))
    )


def _state(chat: ChatSession) -> dict[str, Any]:
    choice = read_object(ResolvedChannel, chat.llm).primary
    return {
        "id": chat.id,
        "agent_id": chat.agent_id,
        "agent_version": chat.agent_version,
        "locale": chat.locale,
        "provider": choice.provider,
        "model": choice.model,
        "run_tools": chat.run_tools,
        "status": "open" if chat.ended_at is None else "ended",
        "collected": chat.collected,
        "warnings": chat.warnings,
        "created_at": chat.created_at,
        "expires_at": chat.expires_at,
        "ended_at": chat.ended_at,
    }
