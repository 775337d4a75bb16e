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
    calls_at_once: Mapped[int | None]
    """The most calls that may be open; ``None``: as its plan says, 0: no limit."""
    calls_not_joined: Mapped[int | None]
    """The most calls that nobody has joined yet; ``None``: as its plan says, 0: no limit."""
    plan_id: Mapped[str] = mapped_column(ForeignKey("plans.id"), server_default="pay_as_you_go")
    plan_since: Mapped[datetime | None]
    """When it got its plan; ``None``: when it was created."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Plan(Base):
    __tablename__ = "plans"

    id: Mapped[str] = mapped_column(primary_key=True)
    display_name: Mapped[str]
    monthly_credit_micros: Mapped[int]
    byok_allowed: Mapped[bool]
    calls_at_once: Mapped[int | None]
    """For each of its tenants; ``None``: as the settings say."""
    calls_not_joined: Mapped[int | None]
    dispatch_weight: Mapped[int] = mapped_column(server_default="1")
    """How many calls a tenant sends to the workers in one turn, when calls have to wait."""
    phone_numbers_max: Mapped[int | None]
    """How many numbers each of its tenants may register; ``None``: no limit."""
    knowledge_sources_max: Mapped[int | None]
    knowledge_bytes_max: Mapped[int | None]
    """Of the knowledge of each of its tenants; ``None``: no limit."""
    knowledge_sources_soft_max: Mapped[int | None]
    knowledge_bytes_soft_max: Mapped[int | None]
    """Above them, answers only say so."""
