"""Domain events, written in the transaction of the change that they report. They form a log, which
is read by position (``log_repository.py``) and kept for a month."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import FetchedValue, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class OutboxEvent(Base):
    """Read by webhooks and notifications. The columns ``position`` and ``transaction_id`` are the
    database's own."""

    __tablename__ = "outbox_events"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    event: Mapped[str]
    data: Mapped[dict[str, Any]]
    """The envelope's ``data`` (API spec, "Payload data")."""
    origin: Mapped[str] = mapped_column(default="api")
    """``gateway``, ``api`` or ``test``. The envelope of ``gateway`` has no ``type``."""
    occurred_at: Mapped[datetime] = mapped_column(server_default=FetchedValue())
