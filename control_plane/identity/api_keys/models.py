"""API keys. Only the SHA-256 hash of a secret is stored."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, ForeignKeyConstraint, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.identity.api_keys.secrets import KeyKind
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class ApiKey(Base):
    """A key with its name and scope. Its id stays the same when a rotation replaces its secret."""

    __tablename__ = "api_keys"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    name: Mapped[str]
    kind: Mapped[KeyKind] = mapped_column(Text)
    hint: Mapped[str]
    """The newest secret's first and last characters, by which its owner recognises it."""
    allowed_channels: Mapped[list[str]] = mapped_column(ARRAY(Text))
    allowed_origins: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """``None``: any web page, and any other program."""
    allowed_agent_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    """For web calls. ``None``: every agent of the tenant."""
    phone_agent_id: Mapped[UUID | None]
    """The agent of its phone calls; set if and only if ``phone`` is an allowed channel."""
    phone_countries: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    """Countries (ISO 3166-1) of the numbers that it may call. ``None``: every country."""
    phone_calls_per_day: Mapped[int | None]
    """``None``: no limit."""
    call_limits: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    """The fields of ``CallLimits``. ``None``: the defaults."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]


class ApiKeySecret(Base):
    """One secret of a key: the newest, or an older one that still works after a rotation."""

    __tablename__ = "api_key_secrets"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "api_key_id"], ["api_keys.tenant_id", "api_keys.id"]),
    )

    key_hash: Mapped[bytes] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    api_key_id: Mapped[UUID]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    expires_at: Mapped[datetime | None]
    """``None``: the newest secret. Each key has exactly one."""


class PhoneCallsOfKey(Base):
    """How many phone calls a publishable key with a daily limit has started today."""

    __tablename__ = "phone_calls_of_keys"
    __table_args__ = (
        ForeignKeyConstraint(["tenant_id", "api_key_id"], ["api_keys.tenant_id", "api_keys.id"]),
    )

    api_key_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    day: Mapped[date]
    """In UTC. An earlier day counts as no calls."""
    calls: Mapped[int]
