"""The table of tenants' own keys for speech and language providers (BYOK), sealed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class ProviderKey(Base):
    __tablename__ = "provider_keys"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    provider: Mapped[str] = mapped_column(primary_key=True)
    sealed_key: Mapped[str]
    last_four: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
    """When the key was last set."""
    verified_at: Mapped[datetime | None]
    """When the provider accepted it; ``None`` if it was stored untested."""
