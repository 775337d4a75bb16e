"""Users and the ways to recognise them. Apart from users' names, only system sessions see these
tables."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import ForeignKey, false, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base


class User(Base):
    """A person. A mail address has at most one user in the whole installation."""

    __tablename__ = "users"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    email: Mapped[str] = mapped_column(unique=True)
    """In lower case."""
    name: Mapped[str | None]
    password_hash: Mapped[str | None]
    """``None`` until the user sets one, for example after the operator has opened their account."""
    email_confirmed_at: Mapped[datetime | None]
    """When the user first sent back a token that was mailed to this address."""
    confirmation_waived: Mapped[bool] = mapped_column(server_default=false())
    """Whether the account counts without that: it is older than the rule."""
    welcome_tenant_id: Mapped[UUID | None]
    """The tenant that gets the user's welcome credit."""
    welcomed_at: Mapped[datetime | None]
    """When it got that."""
    created_at: Mapped[datetime] = mapped_column(server_default=func.now())

    @property
    def may_act(self) -> bool:
        """Whether the user's sessions may use more than the routes about the user."""
        return self.email_confirmed_at is not None or self.confirmation_waived


class DashboardSession(Base):
    """One login of a user, in one tenant at a time. Only the hash of its token is stored."""

    __tablename__ = "dashboard_sessions"

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid4)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    tenant_id: Mapped[UUID]
    user_id: Mapped[UUID]
    """Together with the tenant a foreign key to ``memberships``: the session ends with the
    membership."""
    address: Mapped[str | None]
    user_agent: Mapped[str | None]
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime]
    expires_at: Mapped[datetime]


class KnownDevice(Base):
    """A browser from which a user has logged in before."""

    __tablename__ = "known_devices"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(primary_key=True)
    last_seen_at: Mapped[datetime]


class PasswordReset(Base):
    """The open password reset of a user, who has at most one."""

    __tablename__ = "password_resets"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True)
    token_hash: Mapped[bytes] = mapped_column(unique=True)
    expires_at: Mapped[datetime]


class AttemptCount(Base):
    """How often something was tried within a window of time."""

    __tablename__ = "attempt_counts"

    key_hash: Mapped[bytes] = mapped_column(primary_key=True)
    attempts: Mapped[int]
    window_ends_at: Mapped[datetime]
