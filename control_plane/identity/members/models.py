"""Members of tenants, and invitations to become one."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.identity.accounts.models import User
from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class Membership(Base):
    __tablename__ = "memberships"

    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey(User.id), primary_key=True)
    role: Mapped[str]
    """``owner``, ``admin`` or ``member``."""
    joined_at: Mapped[datetime] = mapped_column(server_default=func.now())


class Invitation(Base):
    """Open until it is accepted or revoked, or ``expires_at`` has passed."""

    __tablename__ = "invitations"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    email: Mapped[str]
    role: Mapped[str]
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    invited_by: Mapped[str]
    """The inviting user's mail address or the inviting key's name."""
    invite_sent: Mapped[bool] = mapped_column(default=False)
    """Whether a mail server accepted the last mail."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())
    sent_at: Mapped[datetime]
    """When the last mail was written."""
    expires_at: Mapped[datetime]
    accepted_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
