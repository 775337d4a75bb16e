"""Batches of phone calls and their recipients."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class CallBatch(Base):
    """``request`` is the ``BatchRequest`` as it was sent, without its recipients."""

    __tablename__ = "call_batches"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    agent_id: Mapped[UUID]
    name: Mapped[str | None]
    request: Mapped[dict[str, Any]]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    canceled_at: Mapped[datetime | None]


class BatchRow(Base):
    """One recipient: refused, with a call, or still waiting for its call to be created."""

    __tablename__ = "call_batch_rows"

    batch_id: Mapped[UUID] = mapped_column(ForeignKey(CallBatch.id), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    """Its index in the request."""
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    recipient: Mapped[dict[str, Any]]
    """A ``Recipient``; its number is in E.164, unless it was refused because it is not valid."""
    refusal_code: Mapped[str | None]
    refusal: Mapped[str | None]
    call_id: Mapped[UUID | None]
