"""``/v1/agents/:id/chat-sessions``."""

from __future__ import annotations

from uuid import UUID

from switchboard_client.models import (
    ChatReply,
    ChatSessionCreate,
    ChatSessionDeleted,
    ChatSessionView,
)
from switchboard_client.operation import Body, Operation, delete, deleted, get, post
from switchboard_client.request import at

Id = UUID | str
_ANSWERING_SECONDS = 100.0
"""For the agent's language model with its tools, and the playbook if the model fails."""


def begin(
    agent_id: Id,
    chat: ChatSessionCreate | Body | None = None,
    *,
    idempotency_key: str | None = None,
) -> Operation[ChatSessionView]:
    """Begin a chat with an agent, to try it in text. It is free."""
    place = at("/v1/agents/{}/chat-sessions", agent_id)
    return post(place, ChatSessionView, {} if chat is None else chat).once(idempotency_key)


def show(agent_id: Id, chat_session_id: Id) -> Operation[ChatSessionView]:
    """The chat with everything that was said."""
    return get(at("/v1/agents/{}/chat-sessions/{}", agent_id, chat_session_id), ChatSessionView)


def say(
    agent_id: Id, chat_session_id: Id, text: str, *, idempotency_key: str | None = None
) -> Operation[ChatReply]:
    """Say something to the agent, and get its answer."""
    place = at("/v1/agents/{}/chat-sessions/{}/messages", agent_id, chat_session_id)
    described = post(place, ChatReply, {"text": text}).once(idempotency_key)
    return Operation(described.request.patiently(_ANSWERING_SECONDS), ChatReply)


def remove(agent_id: Id, chat_session_id: Id) -> Operation[ChatSessionDeleted]:
    place = at("/v1/agents/{}/chat-sessions/{}", agent_id, chat_session_id)
    return delete(place, ChatSessionDeleted, deleted(chat_session_id))
