"""The table of chats."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Integer
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class ChatSession(Base):
    """One chat: its agent as it was when it began, and what was said. Any process of the API can go
    on with it. It has no foreign key to its agent, whose row always stays."""

    __tablename__ = "chat_sessions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    agent_id: Mapped[UUID]
    agent_version: Mapped[int | None] = mapped_column(Integer)
    """``None``: the chat is with the agent as it was last saved."""
    agent: Mapped[dict[str, Any]]
    """``AgentConfig`` under its names on the wire; secrets in it are sealed."""
    compiled_prompt: Mapped[str]
    locale: Mapped[str]
    llm: Mapped[dict[str, Any]]
    """``ResolvedChannel``."""
    variables: Mapped[dict[str, Any]]
    run_tools: Mapped[bool]
    warnings: Mapped[list[str]] = mapped_column(JSONB)
    messages: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    """``ChatMessage`` each, oldest first."""
    collected: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    ended_at: Mapped[datetime | None]
    answering_until: Mapped[datetime | None]
    """Until then a process has the chat for itself, to answer a message."""
