"""Stored answers to requests with an ``Idempotency-Key``."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class AnsweredRequest(Base):
    """A request that was carried out with an ``Idempotency-Key``, and its answer.

    Most are written in the request's transaction, so they exist if and only if the request's
    effects do. A request that acts outside of the database writes its row, without an answer,
    before it acts.
    """

    __tablename__ = "answered_requests"

    key_digest: Mapped[bytes] = mapped_column(primary_key=True)
    """SHA-256 of the caller, the route and the key."""
    tenant_id: Mapped[UUID | None] = mapped_column(ForeignKey(Tenant.id))
    """``None`` for the operator's requests."""
    request_digest: Mapped[bytes]
    """SHA-256 of path, query and body, which must be the same when the request is repeated."""
    sealed_answer: Mapped[str]
    """``Answer.text``, encrypted, because answers hold access tokens and new keys. Empty while a
    request acts outside of the database."""
    claimed_at: Mapped[datetime] = mapped_column(server_default=func.now())
    effect_id: Mapped[UUID | None]
    """Names what a request does outside of the database, over all attempts with this key."""
    held_until: Mapped[datetime | None]
    """Until then only the request that has claimed the key may act. ``None`` when it has
    answered."""
