"""Tables of spend alerts. Every amount is in micro-dollars."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ARRAY, BigInteger, Integer, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class SpendAlertSettings(Base):
    """What a tenant has saved; without a row the defaults hold."""

    __tablename__ = "spend_alert_settings"

    tenant_id: Mapped[UUID] = mapped_column(primary_key=True)
    thresholds_micros: Mapped[list[int]] = mapped_column(ARRAY(BigInteger))
    low_balance_pct: Mapped[int] = mapped_column(Integer)
    email_enabled: Mapped[bool]


class SpendAlert(Base):
    """One alert. ``occasion`` is unique for each tenant, so it is raised once."""

    __tablename__ = "spend_alerts"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID]
    occasion: Mapped[str]
    alert_type: Mapped[str]
    severity: Mapped[str]
    amount_micros: Mapped[int]
    threshold_micros: Mapped[int]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    acknowledged_at: Mapped[datetime | None]
