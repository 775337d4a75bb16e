"""The tenants' meters. They are no part of the ledger: such requests cost tenants nothing."""

from __future__ import annotations

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class SpendingMeter(Base):
    """How many requests of one kind a tenant has made. Those that a limit refuses do not count."""

    __tablename__ = "spending_meters"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    kind: Mapped[str] = mapped_column(primary_key=True)
    requests: Mapped[int]
    """In all."""
    day: Mapped[date]
    """Of the last request, in UTC."""
    requests_of_day: Mapped[int]
    minute_began_at: Mapped[datetime]
    """The first request after a minute has passed begins the next one."""
    requests_of_minute: Mapped[int]
