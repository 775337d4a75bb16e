"""What outsiders may use of an agent, and the calls that they have made."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class ShareLink(Base):
    """An agent's public link. Regenerating it replaces the token and keeps the row."""

    __tablename__ = "share_links"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    agent_id: Mapped[UUID] = mapped_column(unique=True)
    sealed_token: Mapped[str]
    """The last part of the link's address, so that its owner can see the address again."""
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    enabled: Mapped[bool]
    minutes_limit: Mapped[int]
    """All minutes that it may ever use."""
    max_call_seconds: Mapped[int]
    max_concurrent: Mapped[int]
    calls_per_ip_hour: Mapped[int]
    allowed_origins: Mapped[list[str]] = mapped_column(ARRAY(Text))
    """Other pages' origins on which the widget works, in the form in which browsers send them."""
    minutes_requested_at: Mapped[datetime | None]
    """When a visitor asked for more minutes, until there are more."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())


class SharedCall(Base):
    """A call that an outsider has made. How much it has used follows from the call itself, so it is
    settled in the very transaction that ends the call."""

    __tablename__ = "shared_calls"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    share_id: Mapped[UUID]
    """The id of the ``ShareLink`` or of the ``Tester``."""
    reserved_seconds: Mapped[int]
    """Its longest duration: that of its plan, which is as much as is believed of its worker."""


class Tester(Base):
    """A person who is invited by mail to try an agent."""

    __tablename__ = "testers"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    agent_id: Mapped[UUID]
    email: Mapped[str]
    sealed_token: Mapped[str]
    """The last part of the address in the mail: every mail has the same."""
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    minutes_limit: Mapped[int]
    invite_sent: Mapped[bool]
    """Whether a mail server has accepted the last mail."""
    expires_at: Mapped[datetime | None]
    minutes_requested_at: Mapped[datetime | None]
    """When the tester asked for more minutes, until their number is changed."""
    created_at: Mapped[datetime]
    sent_at: Mapped[datetime]
    """When the last mail was sent, or could not be."""
    revoked_at: Mapped[datetime | None]

    def is_active(self, now: datetime) -> bool:
        return self.revoked_at is None and (self.expires_at is None or self.expires_at > now)
