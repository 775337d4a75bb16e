"""Chats on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StringConstraints

from contracts.clearable import Clearable
from contracts.language_tag import LanguageTag

MOST_TEXT_CHARACTERS = 4_000
Version = Literal["published", "draft"]


class ChatSessionCreate(BaseModel):
    """The chat that a client wants."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"version": "draft", "variables": {}}}
    )
    version: Version = Field(
        "published",
        description="`published`: the version that calls run. `draft`: the agent as it was last "
        "saved, which need not be published.",
    )
    variables: Clearable[dict[str, Any]] = Field(default_factory=dict)
    locale: LanguageTag | None = Field(
        None, description="One of the agent's `supported_languages`, as for a call."
    )
    run_tools: StrictBool = Field(
        False,
        description="Call the agent's webhooks for real. Without it, a message reports what the "
        "agent would call, and the agent goes on as if it had worked.",
    )


class ChatMessageCreate(BaseModel):
    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"example": {"text": "Are you open on Sunday?"}}
    )
    text: Annotated[
        str,
        StringConstraints(strip_whitespace=True, min_length=1, max_length=MOST_TEXT_CHARACTERS),
    ]


class ChatToolView(BaseModel):
    """What the agent did besides talking."""

    model_config = ConfigDict(from_attributes=True)
    name: str
    arguments: dict[str, Any]
    outcome: Literal["would_call", "done", "failed"] = Field(
        description="`would_call`: nothing was called."
    )
    result: str | None = Field(
        description="What the tool answered, at most 4,000 characters; `null` if it was not called."
    )


class ChatMessageView(BaseModel):
    model_config = ConfigDict(from_attributes=True)
    role: Literal["caller", "agent"]
    text: str
    created_at: datetime
    tools: list[ChatToolView] = Field(description="What the agent used before it said `text`.")


class ChatSessionState(BaseModel):
    """How a chat stands."""

    id: UUID
    agent_id: UUID
    agent_version: int | None = Field(description="`null`: the agent as it was last saved.")
    locale: str
    provider: str
    model: str
    run_tools: bool
    status: Literal["open", "ended"] = Field(description="`ended`: the agent has ended the chat.")
    collected: dict[str, str] = Field(
        description="What the playbook engine has collected, by slot; empty with other models."
    )
    warnings: list[str] = Field(description="What is wrong with the agent's texts or variables.")
    created_at: datetime
    expires_at: datetime = Field(description="One hour after the last message.")
    ended_at: datetime | None


class ChatSessionView(ChatSessionState):
    messages: list[ChatMessageView] = Field(
        description="Oldest first. The first one is the agent's greeting, if it speaks first."
    )


class ChatReply(BaseModel):
    """The agent's answer to one message."""

    reply: ChatMessageView
    session: ChatSessionState


class ChatSessionDeleted(BaseModel):
    status: Literal["deleted"] = "deleted"
    id: UUID
