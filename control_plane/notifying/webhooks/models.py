"""The tables of webhooks. Facts stay in the outbox: a delivery only names one."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, false, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class DeliveryStatus(StrEnum):
    PENDING = "pending"
    """It waits for its next try, or is being tried."""
    DELIVERED = "delivered"
    FAILED = "failed"
    """All tries failed."""
    EXPIRED = "expired"
    """What it would tell was erased meanwhile."""


class Webhook(Base):
    __tablename__ = "webhooks"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    url: Mapped[str]
    events: Mapped[list[str]] = mapped_column(ARRAY(Text))
    sealed_secret: Mapped[str]
    sealed_previous_secret: Mapped[str | None]
    """Signs besides ``sealed_secret`` until ``previous_secret_until``."""
    previous_secret_until: Mapped[datetime | None]
    alert_email: Mapped[str | None]
    redaction_level: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    failing_since: Mapped[datetime | None]
    """The first failed try since the last that succeeded."""
    alerted_at: Mapped[datetime | None]
    """When the last alert was mailed."""


class WebhookDelivery(Base):
    """One fact for one webhook."""

    __tablename__ = "webhook_deliveries"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    webhook_id: Mapped[UUID] = mapped_column(ForeignKey(Webhook.id, ondelete="CASCADE"))
    event_id: Mapped[UUID]
    """The fact's id."""
    event: Mapped[str]
    occurred_at: Mapped[datetime]
    """The fact's time, by which its partition is found."""
    status: Mapped[str]
    tries: Mapped[int] = mapped_column(default=0)
    """In all, those before a replay included."""
    tries_left: Mapped[int]
    is_replay: Mapped[bool] = mapped_column(server_default=false())
    """Somebody has queued it again: it must not hold up what is new."""
    next_try_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


class WebhookTry(Base):
    __tablename__ = "webhook_tries"

    delivery_id: Mapped[UUID] = mapped_column(
        ForeignKey(WebhookDelivery.id, ondelete="CASCADE"), primary_key=True
    )
    number: Mapped[int] = mapped_column(primary_key=True)
    """From 1."""
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    started_at: Mapped[datetime]
    duration_ms: Mapped[int]
    status_code: Mapped[int | None]
    error: Mapped[str | None]
    """In words; ``None`` if it succeeded."""
    answer: Mapped[str | None]
    """The first 4 KB of the answer's body."""
