"""Answers kept for requests that are sent again."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, func
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class AnsweredRequest(Base):
    """One request that was carried out under an ``Idempotency-Key``, with its answer.

    Written in the transaction that carries the request out, so it exists if and only if the
    request's effects do.
    """

    __tablename__ = "answered_requests"

    key_digest: Mapped[bytes] = mapped_column(primary_key=True)
    """SHA-256 of who sent it, the route and the key."""
    tenant_id: Mapped[UUID | None] = mapped_column(ForeignKey(Tenant.id))
    """``None`` for the operator's."""
    request_digest: Mapped[bytes]
    """SHA-256 of path, query and body: what must be the same when the key is used again."""
    sealed_answer: Mapped[str]
    """``Answer.text``, sealed: answers hold access tokens and new keys."""
    claimed_at: Mapped[datetime] = mapped_column(server_default=func.now())
