"""Tables of agents and their published versions."""

from __future__ import annotations

from datetime import datetime
from functools import cached_property
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Computed, ForeignKey, Integer, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.building.agents.knowledge.pages import Pages, read_pages
from control_plane.building.agents.publishing.snapshot import Snapshot, read_snapshot
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


def _listed(name: str) -> Mapped[Any]:
    """A field of ``config`` as a column of its own, so that lists need not read all of it."""
    return mapped_column(Computed(f"config ->> '{name}'", persisted=True), deferred=True)


class Agent(Base):
    """An agent as its owner edits it. Every change of the row increments ``revision``.

    The row of a deleted agent stays, because calls and versions refer to it.
    """

    __tablename__ = "agents"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    name: Mapped[str]
    config: Mapped[dict[str, Any]]
    """``AgentConfig`` with every field under its name on the wire; secrets in it are sealed."""
    provider_config: Mapped[dict[str, Any]]
    compiled_prompt: Mapped[str]
    knowledge_pages: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, server_default="[]")
    """What it has of the web pages that its knowledge base names (``KnowledgePage``)."""
    published_version: Mapped[int | None] = mapped_column(Integer)
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
    deleted_at: Mapped[datetime | None]
    revision: Mapped[int] = mapped_column()
    voice: Mapped[str] = _listed("voice")
    llm_provider: Mapped[str | None] = _listed("llm_provider")
    llm_model: Mapped[str | None] = _listed("llm_model")
    agent_kind: Mapped[str] = _listed("agent_kind")
    language: Mapped[str] = _listed("language")

    @property
    def pages(self) -> Pages:
        return read_pages(self.knowledge_pages or ())

    __mapper_args__ = {"version_id_col": revision}  # noqa: RUF012 - SQLAlchemy's own declaration


class AgentVersion(Base):
    """An agent as it was published. A version never changes."""

    __tablename__ = "agent_versions"

    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    version: Mapped[int] = mapped_column(Integer, primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    snapshot: Mapped[str]
    """Canonical JSON (``control_plane.building.agents.publishing.snapshot``)."""
    digest: Mapped[str]
    """SHA-256 of ``snapshot``, in hex."""
    restored_from: Mapped[int | None] = mapped_column(Integer)
    """The earlier version whose snapshot a roll-back published again as this one."""
    published_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @cached_property
    def frozen(self) -> Snapshot:
        return read_snapshot(self.snapshot)

    @property
    def config(self) -> dict[str, Any]:
        return self.frozen.config

    @property
    def provider_config(self) -> dict[str, Any]:
        return self.frozen.provider_config

    @property
    def compiled_prompt(self) -> str:
        return self.frozen.compiled_prompt

    @property
    def pages(self) -> Pages:
        return read_pages(self.frozen.knowledge_pages or ())
