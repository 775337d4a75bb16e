"""Agents, and what has been published of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Integer, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.database import Base


class Agent(Base):
    __tablename__ = "agents"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    config: Mapped[dict[str, Any]]
    """``AgentConfig`` under its names on the wire."""
    provider_config: Mapped[dict[str, Any]]
    compiled_prompt: Mapped[str]
    published_version: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())


class AgentVersion(Base):
    """An agent as it was published. Never changes."""

    __tablename__ = "agent_versions"

    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    config: Mapped[dict[str, Any]]
    provider_config: Mapped[dict[str, Any]]
    compiled_prompt: Mapped[str]
    published_at: Mapped[datetime] = mapped_column(server_default=func.now())
