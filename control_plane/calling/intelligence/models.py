"""Tables: the results of analyses, and the answers of providers that were paid for."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from control_plane.platform.database import Base
from control_plane.platform.tenancy.models import Tenant


class CallAnalysis(Base):
    """The results of the last finished analysis of one call.

    ``job_id`` is the unfinished analysis, or ``None``. A job whose id differs from it is out of
    date and must not change the row. Lock the call's row before changing this one.
    """

    __tablename__ = "call_analyses"

    call_id: Mapped[UUID] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    job_id: Mapped[UUID | None]
    touched_at: Mapped[datetime | None]
    """When the unfinished analysis was queued, begun or postponed last."""
    finished_at: Mapped[datetime | None]
    lean_sent_at: Mapped[datetime | None]
    """When the lean ``call.completed`` was sent, because the analysis had to wait."""
    segments: Mapped[int] = mapped_column(default=0)
    """How many transcript segments the results were made from."""
    provider: Mapped[str | None]
    model: Mapped[str | None]
    summary: Mapped[str | None]
    sentiment: Mapped[str | None]
    structured_data: Mapped[dict[str, Any] | None]
    evaluation: Mapped[dict[str, Any] | None]
    errors: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, default=list)
    usage: Mapped[dict[str, Any]] = mapped_column(default=dict)
    """``"<provider>/<model>"`` → requests and tokens of all analyses of the call."""


class PaidAnswer(Base):
    """A provider's answer, stored until its analysis is finished.

    An analysis that was interrupted continues with these and does not pay for them again.
    """

    __tablename__ = "paid_answers"

    job_id: Mapped[UUID] = mapped_column(primary_key=True)
    request_digest: Mapped[bytes] = mapped_column(primary_key=True)
    tenant_id: Mapped[UUID] = mapped_column(ForeignKey(Tenant.id))
    text: Mapped[str]
    input_tokens: Mapped[int]
    output_tokens: Mapped[int]
