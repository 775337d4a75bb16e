"""The table of knowledge sources. Their passages are in the object store, as bundles."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.building.agents.models import Agent
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant

PERSONA = "persona"
"""The kind of an agent's knowledge base (``persona.knowledgeBase``) as its calls look it up."""
Content = bytes
"""The table has a column of that name."""


class KnowledgeSource(Base):
    __tablename__ = "knowledge_sources"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    agent_id: Mapped[UUID] = mapped_column(ForeignKey(Agent.id))
    kind: Mapped[str]
    """``text``, ``url``, ``file`` or ``persona``."""
    title: Mapped[str]
    source_uri: Mapped[str | None]
    """The address or the filename; ``None`` for a text."""
    format: Mapped[str | None]
    """``knowledge.parsing.formats.Format`` of a file."""
    status: Mapped[str] = mapped_column(server_default="pending")
    progress: Mapped[float] = mapped_column(server_default="0")
    """The share of its passages that are embedded, while it is pending."""
    chunk_count: Mapped[int] = mapped_column(BigInteger, server_default="0")
    bytes: Mapped[int] = mapped_column(BigInteger)
    failure_reason: Mapped[str | None]
    content: Mapped[Content | None] = mapped_column(LargeBinary, deferred=True)
    """What was sent, until it is ingested."""
    content_digest: Mapped[str | None]
    """Of what the bundle was made from: a page that has not changed costs nothing."""
    etag: Mapped[str | None]
    last_modified: Mapped[str | None]
    """What the website said of the page that the bundle was made from."""
    refresh_hours: Mapped[int | None]
    """How often a web page is fetched again; ``None``: only on request."""
    refresh_at: Mapped[datetime | None]
    """When it is fetched again."""
    bundle_digest: Mapped[str | None]
    """Of the passages that calls search. A source that is refreshed keeps them meanwhile."""
    embedding_model: Mapped[str | None]
    """That the bundle was made with."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
