"""API keys. The key itself is never stored, only its SHA-256 hash."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, Uuid, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.database import Base


class ApiKey(Base):
    __tablename__ = "api_keys"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey("tenants.id"))
    name: Mapped[str]
    kind: Mapped[str]
    hint: Mapped[str]
    """The key's first and last characters, to recognise it by."""
    key_hash: Mapped[bytes] = mapped_column(unique=True)
    allowed_channels: Mapped[list[str]] = mapped_column(ARRAY(Text))
    allowed_agent_ids: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    """``None``: every agent of the tenant."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
