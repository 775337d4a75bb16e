"""Numbers that a tenant must not call."""

from __future__ import annotations

from datetime import datetime
from typing import Literal
from uuid import UUID

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.caller import ActorKind
from control_plane.platform.tenancy.models import Tenant

Source = Literal["api", "dashboard", "import"]
"""How a number was added: with an API key, by a person in the dashboard, or from a file."""


class DoNotCallNumber(Base):
    __tablename__ = "do_not_call_numbers"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    number: Mapped[str] = mapped_column(primary_key=True)
    """E.164."""
    reason: Mapped[str | None]
    source: Mapped[Source] = mapped_column(Text)
    added_by_kind: Mapped[ActorKind] = mapped_column(Text)
    added_by_id: Mapped[UUID | None]
    added_by_label: Mapped[str]
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
