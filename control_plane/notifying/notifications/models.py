"""The tables of notifications."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Identity, Text, false, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.notifying.notifications.preferences import Channel
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class DeliveryStatus(StrEnum):
    QUEUED = "queued"
    SENT = "sent"
    FAILED = "failed"


class Notification(Base):
    __tablename__ = "notifications"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    """The id of the fact that it tells of."""
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    event_category: Mapped[str]
    title: Mapped[str]
    message: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", default=dict)
    created_at: Mapped[datetime]
    is_shown: Mapped[bool | None]
    """Whether feeds show it; ``None``: as their readers' preferences say."""
    is_test: Mapped[bool] = mapped_column(server_default=false())
    position: Mapped[int] = mapped_column(Identity(always=True))
    """Notifications are added by one transaction after the other, that of the outbox's reader. So
    who has seen one has seen all before it."""


class NotificationRead(Base):
    """A reader has read a notification. A reader is a user, or the tenant for all of its keys."""

    __tablename__ = "notification_reads"

    notification_id: Mapped[UUID] = mapped_column(
        ForeignKey(Notification.id, ondelete="CASCADE"), primary_key=True
    )
    reader_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    is_cleared: Mapped[bool] = mapped_column(server_default=false())
    """Whether the reader's feed has dropped it."""


class NotificationPreference(Base):
    """``None`` in a column: as the layer below says (``preferences.py``)."""

    __tablename__ = "notification_preferences"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    owner_id: Mapped[UUID] = mapped_column(primary_key=True)
    """Whose choice it is: a user's, or the tenant's."""
    event_category: Mapped[str] = mapped_column(primary_key=True)
    in_app: Mapped[bool | None]
    email: Mapped[bool | None]
    sms: Mapped[bool | None]
    webhook: Mapped[bool | None]


class NotificationDelivery(Base):
    """One notification over one channel, to one person if the channel has persons."""

    __tablename__ = "notification_deliveries"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    notification_id: Mapped[UUID] = mapped_column(ForeignKey(Notification.id, ondelete="CASCADE"))
    channel: Mapped[Channel] = mapped_column(Text)
    user_id: Mapped[UUID | None]
    """Who gets the mail."""
    status: Mapped[str]
    attempt_count: Mapped[int] = mapped_column(default=0)
    last_error: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class NotificationOccasion(Base):
    """Something that is told once, or not again for a while: whoever adds the row tells it."""

    __tablename__ = "notification_occasions"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    event_category: Mapped[str] = mapped_column(primary_key=True)
    occasion: Mapped[str] = mapped_column(primary_key=True)
    """Such as a day, an agent's id, or ``mail``."""
    told_at: Mapped[datetime]


class NotificationSettings(Base):
    """Of a tenant. Without a row, the defaults count."""

    __tablename__ = "notification_settings"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    time_zone: Mapped[str] = mapped_column(default="UTC")
    """In which its days and months begin."""
    last_top_up_micros: Mapped[int | None]
    """What it last paid in; ``None``: nothing yet."""


class CallHour(Base):
    """How many calls of a tenant began in an hour of UTC."""

    __tablename__ = "notification_call_hours"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    hour: Mapped[datetime] = mapped_column(primary_key=True)
    calls: Mapped[int]


class NotificationPhone(Base):
    """The number to which a member wants notifications. It goes with the membership."""

    __tablename__ = "notification_phones"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(primary_key=True)
    number: Mapped[str]
    """E.164."""
    code_hash: Mapped[bytes | None]
    """Of the code that was sent to it last; ``None``: it was used."""
    code_expires_at: Mapped[datetime | None]
    confirmed_at: Mapped[datetime | None]
