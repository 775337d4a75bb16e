"""Requests to erase a caller's data, and what was erased of each call."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from sqlalchemy import ForeignKey, Text, func
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant

ErasureStatus = Literal["running", "completed", "failed"]


class Erasure(Base):
    """One request. Only ``caller_hmac`` still says whose data it was when it is completed."""

    __tablename__ = "erasures"

    id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    status: Mapped[ErasureStatus] = mapped_column(Text, default="running")
    sealed_caller: Mapped[str | None]
    """The number or identity, encrypted; ``None`` when everything is erased."""
    caller_hmac: Mapped[str]
    reason: Mapped[str | None]
    requested_by: Mapped[dict[str, Any]]
    """``kind``, ``id`` and ``label``, as in the audit log."""
    requested_at: Mapped[datetime] = mapped_column(server_default=func.now())
    completed_at: Mapped[datetime | None]
    waits_for: Mapped[str | None]
    """Why it is not completed yet."""
    proof: Mapped[str | None]
    """The proof document's JSON text, of which ``proof_sha256`` is the hash."""
    proof_sha256: Mapped[str | None]


class ErasedCall(Base):
    """What an erasure removed of one call."""

    __tablename__ = "erased_calls"

    erasure_id: Mapped[UUID] = mapped_column(ForeignKey(Erasure.id), primary_key=True)
    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    erased_at: Mapped[datetime] = mapped_column(server_default=func.now())
    erased: Mapped[dict[str, Any]]
    """By table: ``rows`` and ``sha256`` of what they held."""
    objects: Mapped[list[dict[str, Any]]] = mapped_column(JSONB)
    """``path`` and ``bytes`` of each object of the object store."""
