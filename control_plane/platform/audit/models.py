"""Who changed what, and from where. Append-only."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Identity, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class AuditEntry(Base):
    __tablename__ = "audit_entries"

    id: Mapped[int] = mapped_column(Identity(always=True), primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    actor_kind: Mapped[str]
    actor_id: Mapped[UUID | None]
    actor_label: Mapped[str]
    action: Mapped[str]
    """The record's kind and a verb in the past tense, such as ``agent.published``."""
    target_id: Mapped[str | None]
    changes: Mapped[dict[str, Any]]
    """Facts about the change; never a secret."""
    address: Mapped[str | None]
    user_agent: Mapped[str | None]
    request_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
