"""Phone numbers that tenants call from and are called on. Source: API spec, "Number"."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.calling.carriers.models import CarrierAccountRecord
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class Number(Base):
    __tablename__ = "numbers"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    number: Mapped[str]
    """E.164. Each tenant has it once. Only one tenant has it proved by the operator or by a
    carrier."""
    carrier: Mapped[str | None]
    """The carrier of its calls; ``None`` while none is connected."""
    carrier_account_id: Mapped[UUID | None] = mapped_column(ForeignKey(CarrierAccountRecord.id))
    """The account of its calls: the tenant's own, or for a managed number the installation's."""
    verified_by: Mapped[str | None]
    """What shows that the number is the tenant's: ``operator`` (who gave it), ``carrier`` (in whose
    account it is), or ``webhook`` (a signed one came for it, which proves it to nobody else).
    ``None``: nothing yet, and no call comes or goes."""
    agent_id: Mapped[UUID | None]
    is_managed: Mapped[bool] = mapped_column(default=False)
    """Given by the operator instead of registered by the tenant."""
    is_default: Mapped[bool] = mapped_column(default=False)
    """The caller id of calls that name none; at most one number of each tenant."""
    webhook_status: Mapped[str | None]
    """``configured``, ``manual_required`` or ``failed`` at the carrier; ``None``: nothing was
    tried."""
    webhook_error: Mapped[str | None]
    max_concurrent_calls: Mapped[int | None]
    """``None``: the installation's limit."""
    user_id: Mapped[UUID | None]
    """The person who registered it in a dashboard."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
