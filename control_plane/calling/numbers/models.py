"""Phone numbers that tenants call from and are called on. Source: API spec, "Number"."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class Number(Base):
    __tablename__ = "numbers"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    number: Mapped[str]
    """E.164; only one tenant of the installation has it."""
    carrier: Mapped[str | None]
    """The carrier of its calls; ``None`` while none is connected."""
    agent_id: Mapped[UUID | None]
    is_managed: Mapped[bool] = mapped_column(default=False)
    """Given by the operator instead of registered by the tenant."""
    is_default: Mapped[bool] = mapped_column(default=False)
    """The caller id of calls that name none; at most one number of each tenant."""
    webhook_status: Mapped[str | None]
    max_concurrent_calls: Mapped[int | None]
    """``None``: the installation's limit."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
