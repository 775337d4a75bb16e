"""Tenants and their plans."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class Tenant(Base):
    __tablename__ = "tenants"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    name: Mapped[str]
    tier: Mapped[str] = mapped_column(server_default="free")
    """``free`` or ``enterprise``."""
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"), server_default="pay_as_you_go")
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Plan(Base):
    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(primary_key=True)
    display_name: Mapped[str]
    monthly_credit_micros: Mapped[int]
    byok_allowed: Mapped[bool]
