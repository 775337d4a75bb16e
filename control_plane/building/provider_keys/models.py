"""The table of tenants' own keys for speech and language providers (BYOK), sealed."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class ProviderKey(Base):
    __tablename__ = "provider_keys"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    provider: Mapped[str] = mapped_column(primary_key=True)
    sealed_key: Mapped[str]
    """Empty before it is sealed for a server of the tenant's own that wants no key."""
    last_four: Mapped[str]
    base_url: Mapped[str | None]
    """Of the tenant's own model server; ``None`` for a vendor's key, and so are the next two."""
    display_name: Mapped[str | None]
    models: Mapped[list[str] | None] = mapped_column(ARRAY(Text))
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
    """When the key was last set."""
    verified_at: Mapped[datetime | None]
    """When the provider accepted it; ``None`` if it was stored untested."""
