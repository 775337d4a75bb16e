"""What the operator has switched off."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class AgentPause(Base):
    """While the row exists, the agent takes no new calls. Only the operator writes it."""

    __tablename__ = "agent_pauses"

    agent_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    reason: Mapped[str]
    paused_at: Mapped[datetime] = mapped_column(server_default=func.now())


class PlatformSwitches(Base):
    """The table has exactly one row."""

    __tablename__ = "platform_switches"

    only_row: Mapped[bool] = mapped_column(primary_key=True, default=True)
    calls_enabled: Mapped[bool]
    message: Mapped[str | None]
    """What clients are told while calls are disabled."""
    updated_at: Mapped[datetime] = mapped_column(server_default=func.now())
