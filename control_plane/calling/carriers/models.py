"""The table of accounts at phone carriers."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class CarrierAccountRecord(Base):
    """An account of a tenant, or of the installation (``tenant_id`` is ``None``), which only system
    sessions see."""

    __tablename__ = "carrier_accounts"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID | None] = mapped_column(ForeignKey(Tenant.id))
    provider: Mapped[str]
    name: Mapped[str]
    sealed_credentials: Mapped[str]
    """``carriers.account.revealed`` as JSON, sealed."""
    is_default: Mapped[bool] = mapped_column(default=False)
    """Asked first for a number; at most one account of each tenant."""
    refuse_with: Mapped[str] = mapped_column(default="sentence")
    revision: Mapped[int] = mapped_column(default=1)
    """Grows with every change that bridges have to know."""
    verified_at: Mapped[datetime | None]
    """When the carrier last accepted the credentials; ``None`` while it has not."""
    problem: Mapped[str | None]
    """What the carrier said was wrong at the last check, in a sentence; ``None``: nothing."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now(), onupdate=func.now())
